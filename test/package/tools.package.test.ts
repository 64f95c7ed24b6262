import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { InstalledPackage } from './installed-package.js'

/** An enumeration is more than Node's own type stripping can do. */
const TASKS = `
enum Factor { Two = 2 }
export const double = (n: number): number => n * Factor.Two
`

const PROGRAM = `
import { Dispatcher } from 'evenkeel'
const pool = new Dispatcher<typeof import('./tasks.ts')>({
  module: new URL('./tasks.ts', import.meta.url),
  workers: 1,
  execArgv: ['--import', new URL('./typescript.mjs', import.meta.url).href],
})
const value: number = await pool.run('double', 21)
console.log(value)
await pool.close()
`

const PRELOAD = "import { register } from 'tsx/esm/api'\nregister()\n"

/** A user's test, in the defaults of vitest. */
const TEST = `
import { expect, test } from 'vitest'
import { Dispatcher } from 'evenkeel'

test('a task runs', async () => {
  const pool = new Dispatcher({ module: new URL('./double.mjs', import.meta.url), workers: 2 })
  expect(await Promise.all([pool.run('double', 1), pool.run('double', 2)])).toEqual([2, 4])
  await pool.close()
})

test('a pool may be left open', async () => {
  const pool = new Dispatcher({ module: new URL('./double.mjs', import.meta.url), workers: 1 })
  expect(await pool.run('double', 3)).toBe(6)
})
`

let installed: InstalledPackage
const file = (name: string) => join(installed.folder, name)

beforeAll(async () => {
  installed = await InstalledPackage.create()
  for (const name of ['tsx', 'vitest']) installed.link(name)
  installed.write('package.json', '{ "private": true, "type": "module" }')
  installed.write('tasks.ts', TASKS)
  installed.write('program.ts', PROGRAM)
  installed.write('typescript.mjs', PRELOAD)
  installed.write('double.mjs', 'export const double = (n) => n * 2\n')
  installed.write('double.test.mjs', TEST)
}, 240_000)
afterAll(() => installed?.remove())

describe('a task module in TypeScript, with the preload of tsx in the workers', () => {
  test.each([
    ['the command of tsx', ['node_modules/tsx/dist/cli.mjs']],
    ['the flag of Node', ['--import', 'node_modules/tsx/dist/loader.mjs']],
  ])('runs under %s, from another folder', async (_, command) => {
    const args = [...command, 'program.ts'].map((arg) => (arg.startsWith('--') ? arg : file(arg)))
    expect(await installed.run(process.execPath, args, tmpdir())).toBe('42\n')
  })
})

test('without a loader in the workers, the error leads to the page that tells of it', async () => {
  const without = `
    import { Dispatcher } from 'evenkeel'
    const module = new URL('./tasks.ts', import.meta.url)
    const pool = new Dispatcher({ module, workers: 1, execArgv: [] })
    console.log(await pool.run('double', 21).catch(({ code, message }) => code + ' ' + message))`
  installed.write('without.mjs', without)
  const printed = await installed.run(process.execPath, ['without.mjs'])
  expect(printed).toContain('EVENKEEL_MODULE_LOAD')
  // Versions that strip types stumble over the enumeration instead.
  if (printed.includes('Unknown file extension')) expect(printed).toContain('docs/embed.md')
  expect(readFileSync(file('node_modules/evenkeel/docs/embed.md'), 'utf8')).toContain('## TypeScript and vitest')
})

describe('under vitest', () => {
  test.each(['forks', 'threads'])('a test of the user runs tasks in the pool %s', async (pool) => {
    const vitest = file('node_modules/vitest/vitest.mjs')
    const printed = await installed.run(process.execPath, [vitest, 'run', '--pool', pool, '--no-color'])
    expect(printed).toMatch(/Tests\s+2 passed/)
    expect(printed).not.toMatch(/error|unhandled/i)
  })
})
