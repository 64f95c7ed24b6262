import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { brokenLinks } from '../architecture/documents.js'
import { projectRoot, readTree } from '../support/source/tree.js'
import { InstalledPackage } from './installed-package.js'

const tool = (name: string) => join(projectRoot, 'node_modules', '.bin', name)

type Target = string | { readonly [condition: string]: Target }

function pathsOf(target: Target): string[] {
  return typeof target === 'string' ? [target.replace(/^\.\//, '')] : Object.values(target).flatMap(pathsOf)
}

/** Every path that the manifest promises: entry points, their types, the command. */
const promised = [...Object.values(manifest.exports), ...Object.values(manifest.bin)].flatMap(pathsOf)

const TASKS = 'exports.double = (n) => n * 2\n'

const RUN = `
  const pool = new Dispatcher({ module: require('node:path').resolve('tasks.cjs'), workers: 1 })
  pool.run('double', 21).then(async (value) => { console.log(value); await pool.close() })
`

/** Uses inferred names, payloads and results, and one mistake that the types must catch. */
const TYPED = `
import { Dispatcher } from 'evenkeel'
import { transfer } from 'evenkeel/task'
import * as selection from 'evenkeel/selection'

export function grow(buffer: ArrayBuffer) {
  return transfer(buffer, [buffer])
}
export async function use(): Promise<number> {
  const pool = new Dispatcher<{ double(n: number): number }>({ module: '/tasks.js' })
  const value: number = await pool.run('double', 21)
  // @ts-expect-error no such task
  await pool.run('triple', 21)
  // @ts-expect-error the payload is a number
  await pool.run('double', 'x')
  return value + Object.keys(selection).length
}
`

let installed: InstalledPackage
beforeAll(async () => {
  installed = await InstalledPackage.create()
  installed.write('tasks.cjs', TASKS)
}, 240_000)
afterAll(() => installed?.remove())

describe('the tarball', () => {
  test('holds what the manifest promises, and the documents', () => {
    const documents = ['README.md', 'CHANGELOG.md', 'LICENSE', 'docs/README.md', 'docs/embed.md', 'lib/LICENCES.txt']
    for (const path of [...promised, ...documents]) expect(installed.contents).toContain(path)
  })

  test('holds nothing but built files, the page of the dashboard and documents', () => {
    const built = /^lib\/(?:[\w-]+\.(?:[cm]?js|d\.m?ts)|package\.json|page\/[\w.-]+\.(?:html|css|svg|js))$/
    const documents = /^(?:package\.json|LICENSE|CHANGELOG\.md|README\.md|lib\/LICENCES\.txt|docs\/[\w-]+\.md)$/
    expect(installed.contents.filter((path) => !built.test(path) && !documents.test(path))).toEqual([])
  })

  test('has no document with a link that leads nowhere', () => {
    const shipped = readTree(/^[^/]+\.md$|^docs\/.*\.md$/, join(installed.folder, 'node_modules/evenkeel'))
    expect(shipped.size).toBeGreaterThan(5)
    expect(brokenLinks(shipped, new Set(installed.contents))).toEqual([])
  })

  test('is small, and brings few packages', async () => {
    const { packedBytes, unpackedBytes } = installed
    expect({ packedBytes, unpackedBytes, files: installed.contents.length }).toEqual({
      packedBytes: expect.toSatisfy((bytes: number) => bytes <= 330_000),
      unpackedBytes: expect.toSatisfy((bytes: number) => bytes <= 1_500_000),
      files: expect.toSatisfy((files: number) => files <= 400),
    })
    expect(Object.keys(manifest.dependencies)).toEqual(['p-queue', 'pidusage', 'piscina'])
  })

  test('names no source map that it does not have', () => {
    const code = installed.contents.filter((path) => /\.[cm]?js$/.test(path))
    const text = (path: string) => readFileSync(join(installed.folder, 'node_modules/evenkeel', path), 'utf8')
    expect(code.filter((path) => text(path).includes('sourceMappingURL'))).toEqual([])
  })

  test('passes publint without a warning', async () => {
    const verdict = await installed.run(tool('publint'), ['run', installed.tarball, '--strict', '--pack', 'false'])
    expect(verdict).toContain('All good')
  })

  test('has types that every way of resolving them finds', async () => {
    // `thread` is a file to copy, not to import. Node 10 knows no `exports`.
    const checked = [installed.tarball, '--profile', 'node16', '--exclude-entrypoints', 'thread', '--no-color']
    await installed.run(tool('attw'), checked)
  })
})

describe('installed into an empty project', () => {
  test('it runs a task when imported', async () => {
    const head = "import { createRequire } from 'node:module'\nimport { Dispatcher } from 'evenkeel'\n"
    installed.write('run.mjs', `${head}const require = createRequire(import.meta.url)\n${RUN}`)
    expect(await installed.run(process.execPath, ['run.mjs'])).toBe('42\n')
  })

  test('it runs a task when required', async () => {
    installed.write('run.cjs', `const { Dispatcher } = require('evenkeel')\n${RUN}`)
    expect(await installed.run(process.execPath, ['run.cjs'])).toBe('42\n')
  })

  test.each(Object.keys(manifest.exports))('subpath %s can be imported and required', async (subpath) => {
    const name = subpath.replace(/^\./, 'evenkeel')
    const attribute = name.endsWith('.json') ? ", { with: { type: 'json' } }" : ''
    const script = `if (Object.keys(require('${name}')).length) import('${name}'${attribute}).then(() => console.log('both'))`
    expect(await installed.run(process.execPath, ['-e', script])).toBe('both\n')
  })

  test('what is imported and what is required is the same, also across entries', async () => {
    const script = `
      const required = ['', '/batch', '/selection', '/task', '/metrics', '/dashboard'].map((name) => require('evenkeel' + name))
      Promise.all([
        import('evenkeel'), import('evenkeel/batch'), import('evenkeel/selection'), import('evenkeel/task'),
        import('evenkeel/metrics'), import('evenkeel/dashboard'),
      ]).then((imported) => {
        const differ = imported.flatMap((entry, at) => Object.keys(entry).filter((name) => entry[name] !== required[at][name]))
        const missing = required.flatMap((entry, at) => Object.keys(entry).filter((name) => !(name in imported[at])))
        const { JournalError } = imported[1]
        console.log(JSON.stringify({ differ, missing, isOurs: new JournalError('x') instanceof imported[0].EvenkeelError }))
      })`
    const verdict = JSON.parse(await installed.run(process.execPath, ['-e', script]))
    expect(verdict).toEqual({ differ: [], missing: [], isOurs: true })
  })

  test('loading it loads nothing of batches, metrics, the page or the bench, and no package but piscina', async () => {
    const script = `
      require('evenkeel')
      const loaded = Object.keys(require.cache).map((path) => path.replace(/.*node_modules\\/(?:evenkeel\\/lib\\/)?/, ''))
      console.log(JSON.stringify(loaded))`
    const loaded = JSON.parse(await installed.run(process.execPath, ['-e', script])) as string[]
    expect(loaded.filter((path) => /map-file|batch|metrics|dashboard|live|bench|command|esm/.test(path))).toEqual([])
    expect(loaded.filter((path) => path.includes('/') && !path.startsWith('piscina/'))).toEqual([])
  })

  test.each([
    ['nodenext', 'nodenext', 'use.ts'],
    ['nodenext', 'nodenext', 'use.mts'],
    ['nodenext', 'nodenext', 'use.cts'],
    ['node16', 'node16', 'use.ts'],
    ['node16', 'node16', 'use.cts'],
    ['bundler', 'esnext', 'use.ts'],
    ['bundler', 'commonjs', 'use.ts'],
  ])('its types work under moduleResolution %s (%s, %s)', async (moduleResolution, module, file) => {
    installed.write(file, TYPED)
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2022',
      lib: ['es2023'],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: ['node'],
      typeRoots: [join(projectRoot, 'node_modules/@types')],
    }
    installed.write('tsconfig.json', JSON.stringify({ compilerOptions, files: [file] }))
    await installed.run(tool('tsc'), ['-p', 'tsconfig.json'])
  })

  test('its command can be run, and prints help', async () => {
    const { mode } = statSync(join(installed.folder, 'node_modules/evenkeel', manifest.bin.evenkeel))
    expect(mode & 0o111).toBe(0o111)
    const help = await installed.run('npx', ['--no-install', 'evenkeel', '--help'])
    expect(help).toMatch(/usage: evenkeel/i)
    expect(help).toContain('map')
  })
})
