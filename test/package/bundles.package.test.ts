import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '../support/source/tree.js'
import { InstalledPackage } from './installed-package.js'

const esbuild = join(projectRoot, 'node_modules', '.bin', 'esbuild')

const TASKS = `
export const double = (n) => n * 2
export const leave = () => process.exit(3)
`

/** How each format names what stands beside the program. */
const FORMATS = {
  esm: {
    imports: "import { Dispatcher } from 'evenkeel'",
    beside: (file: string) => `new URL('./${file}', import.meta.url)`,
  },
  cjs: {
    imports: "const { Dispatcher } = require('evenkeel')",
    beside: (file: string) => `require('node:path').join(__dirname, '${file}')`,
  },
} as const

type Format = keyof typeof FORMATS

/** Runs a task, loses the thread, and runs another on the next one, through a gate. */
function program(format: Format, options: (beside: (file: string) => string) => string): string {
  const { imports, beside } = FORMATS[format]
  return `${imports}
    const pool = new Dispatcher({ module: ${beside('tasks.mjs')}, workers: 1, gates: { one: { concurrency: 1 } }, ${options(beside)} })
    const outcome = (promise) => promise.then((value) => value, (error) => error)
    async function main() {
      const all = [await outcome(pool.run('double', 1)), await outcome(pool.run('leave')), await outcome(pool.run('double', 4, { gate: 'one' }))]
      console.log(JSON.stringify(all.map((one) => one instanceof Error ? { code: one.code, message: one.message } : one)))
      // Left open: the process must end all the same.
    }
    main()`
}

interface Failure {
  code: string
  message: string
}

let installed: InstalledPackage
/** Where bundles are deployed to: nothing is installed there or above. */
let deployed: string

beforeAll(async () => {
  installed = await InstalledPackage.create()
  deployed = mkdtempSync(join(tmpdir(), 'evenkeel-deployed-'))
}, 240_000)
afterAll(() => {
  installed?.remove()
  rmSync(deployed, { recursive: true, force: true })
})

/** Bundles a program into a folder of its own, beside a file with the name that piscina starts in its threads. */
async function bundle(folder: string, format: Format, text: string, ...flags: string[]): Promise<string> {
  const source = `app-${format}.${format === 'esm' ? 'mjs' : 'cjs'}`
  installed.write(source, text)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'tasks.mjs'), TASKS)
  writeFileSync(join(folder, 'worker.js'), "console.log('not to be started'); setInterval(() => {}, 1_000)")
  const outfile = join(folder, format === 'esm' ? 'app.mjs' : 'app.cjs')
  const target = ['--platform=node', `--format=${format}`, `--outfile=${outfile}`]
  await installed.run(esbuild, [source, '--bundle', '--log-level=error', ...target, ...flags])
  return outfile
}

/** What the program prints when it is run from elsewhere. */
async function results(file: string): Promise<(number | Failure)[]> {
  return JSON.parse(await installed.run(process.execPath, [file], tmpdir()))
}

const WORKED = [2, expect.objectContaining({ code: 'EVENKEEL_WORKER_EXIT' }), 8]

describe('an app in one file of esbuild', () => {
  test.each([
    ['esm', []],
    ['cjs', []],
    ['esm', ['--minify']],
    ['cjs', ['--minify']],
  ] as const)(
    'as %s %j with evenkeel inside runs tasks when it is told where the thread file is',
    async (format, flags) => {
      const folder = join(deployed, `${format}${flags.length}`)
      const text = program(format, (beside) => `threadFile: ${beside('evenkeel-thread.cjs')}`)
      const file = await bundle(folder, format, text, ...flags)
      const threadFile = createRequire(join(installed.folder, 'any.js')).resolve('evenkeel/thread')
      copyFileSync(threadFile, join(folder, 'evenkeel-thread.cjs'))
      expect(await results(file)).toEqual(WORKED)
    },
  )

  test.each(['esm', 'cjs'] as const)('as %s with evenkeel outside runs tasks without being told', async (format) => {
    const folder = join(installed.folder, 'built', format)
    const file = await bundle(
      folder,
      format,
      program(format, () => ''),
      '--external:evenkeel',
    )
    expect(readFileSync(file, 'utf8').length).toBeLessThan(5_000)
    expect(await results(file)).toEqual(WORKED)
  })

  test.each(['esm', 'cjs'] as const)(
    'as %s with evenkeel inside, not told, is refused at once by name and remedy',
    async (format) => {
      const folder = join(deployed, `lost-${format}`)
      const file = await bundle(
        folder,
        format,
        program(format, () => ''),
      )
      const failures = (await results(file)) as Failure[]
      expect(failures).toHaveLength(3)
      for (const { code, message } of failures) {
        expect(code).toBe('EVENKEEL_MODULE_LOAD')
        expect(message).toContain('entry.cjs')
        expect(message).toContain('threadFile')
        expect(message).toContain('--external:evenkeel')
      }
    },
  )

  test('with a file in the place of the thread file that is none is refused by its name', async () => {
    const folder = join(deployed, 'wrong')
    const text = program('esm', (beside) => `threadFile: ${beside('wrong.cjs')}`)
    const file = await bundle(folder, 'esm', text)
    writeFileSync(join(folder, 'wrong.cjs'), 'module.exports = () => {}')
    const failures = (await results(file)) as Failure[]
    expect(failures.map(({ code }) => code)).toEqual(Array(3).fill('EVENKEEL_MODULE_LOAD'))
    expect(failures[0]!.message).toContain(`${join(folder, 'wrong.cjs')} is not evenkeel's thread file`)
  })
})
