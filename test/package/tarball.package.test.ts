import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { brokenLinks } from '../architecture/documents.js'
import { projectRoot, readTree } from '../support/source/tree.js'
import { InstalledPackage } from './installed-package.js'

const tool = (name: string) => join(projectRoot, 'node_modules', '.bin', name)

/** Every path that the manifest promises: entry points, their types, the command. */
const promised = [...Object.values(manifest.exports), ...Object.values(manifest.bin)]
  .flatMap((target) => (typeof target === 'string' ? [target] : Object.values(target)))
  .map((path) => path.replace(/^\.\//, ''))

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
    const documents = ['README.md', 'CHANGELOG.md', 'LICENSE', 'docs/README.md', 'docs/embed.md', 'bench/README.md']
    for (const path of [...promised, ...documents]) expect(installed.contents).toContain(path)
  })

  test('holds nothing but built files, the page of the dashboard and documents', () => {
    const built =
      /^dist\/(?:src|workers|bench)\/.*\.(?:[cm]?js|d\.[cm]?ts|[cm]?js\.map)$|^dist\/src\/dashboard\/page\/[\w-]+\.(?:html|css|svg)$/
    const documents =
      /^(?:package\.json|LICENSE|CHANGELOG\.md|(?:(?:docs|bench|src\/[a-z]+)\/)?README\.md|docs\/[\w-]+\.md)$/
    expect(installed.contents.filter((path) => !built.test(path) && !documents.test(path))).toEqual([])
  })

  test('has no document with a link that leads nowhere', () => {
    const shipped = readTree(/^[^/]+\.md$|^(?:docs|bench)\/.*\.md$/, join(installed.folder, 'node_modules/evenkeel'))
    expect(shipped.size).toBeGreaterThan(5)
    expect(brokenLinks(shipped, new Set(installed.contents))).toEqual([])
  })

  test('brings the sources its source maps name', () => {
    const maps = installed.contents.filter((path) => path.endsWith('.map'))
    expect(maps).not.toEqual([])
    const bare = maps.filter((path) => {
      const map = JSON.parse(readFileSync(join(installed.folder, 'node_modules/evenkeel', path), 'utf8'))
      return map.sourcesContent?.length !== map.sources.length
    })
    expect(bare).toEqual([])
  })

  test('passes publint without a warning', async () => {
    const verdict = await installed.run(tool('publint'), ['run', installed.tarball, '--strict', '--pack', 'false'])
    expect(verdict).toContain('All good')
  })

  test('has types that every way of resolving them finds', async () => {
    // `thread` is a file to copy, not to import.
    const checked = [installed.tarball, '--profile', 'esm-only', '--exclude-entrypoints', 'thread', '--no-color']
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

  test.each([
    ['nodenext', 'nodenext', 'use.ts'],
    ['nodenext', 'nodenext', 'use.mts'],
    ['bundler', 'esnext', 'use.ts'],
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

  test('its command prints help', async () => {
    const help = await installed.run('npx', ['--no-install', 'evenkeel', '--help'])
    expect(help).toMatch(/usage: evenkeel/i)
    expect(help).toContain('map')
  })
})
