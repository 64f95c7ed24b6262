import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { InstalledPackage } from './installed-package.js'

const TASKS = `
export const double = (n) => n * 2
export const fail = () => { throw new RangeError('on purpose') }
export const leave = () => process.exit(3)
export const later = (n) => new Promise((resolve) => setImmediate(() => resolve(n)))
`

/** One task of each outcome, and an ordered stream; prints what came of each. */
const PROGRAM = `
import { Dispatcher } from 'evenkeel'
const pool = new Dispatcher({ module: new URL('./tasks.mjs', import.meta.url), workers: 2 })
const outcome = (promise) => promise.then((value) => value, (error) => error.code ?? error.name)
const settled = [await outcome(pool.run('double', 21)), await outcome(pool.run('fail')), await outcome(pool.run('leave'))]
settled.push(await outcome(pool.run('later', 'replaced')))
for await (const { value } of pool.map('double', [1, 2, 3], { ordered: true })) settled.push(value)
await pool.close()
console.log(JSON.stringify(settled))
`

/** The module is given as it is, and the workers inherit what the process was started with. */
const TYPED_PROGRAM = `
import { Dispatcher } from 'evenkeel'
const pool = new Dispatcher<typeof import('./tasks.ts')>({ module: new URL('./tasks.ts', import.meta.url), workers: 1 })
const value: number = await pool.run('double', 21)
console.log(value)
await pool.close()
`

describe('newer versions of Node', () => {
  let installed: InstalledPackage
  beforeAll(async () => {
    installed = await InstalledPackage.create()
    installed.write('tasks.mjs', TASKS)
    installed.write('program.mjs', PROGRAM)
    installed.link('tsx')
    for (const folder of ['stripped', 'transformed']) {
      installed.write(`${folder}/package.json`, '{ "type": "module" }')
      installed.write(`${folder}/program.ts`, TYPED_PROGRAM)
    }
    installed.write('stripped/tasks.ts', 'export const double = (n: number): number => n * 2')
    installed.write('transformed/tasks.ts', 'enum Two { Two = 2 }; export const double = (n: number) => n * Two.Two')
    installed.write('version.cjs', "require('evenkeel'); console.log(process.versions.node.split('.')[0])")
  }, 240_000)
  afterAll(() => installed?.remove())

  const node = (version: string, ...args: string[]) =>
    installed.run('npx', ['--yes', '--package', `node@${version}`, 'node', ...args])

  test.each(['22', '24', '26'])('Node %s runs TypeScript, by itself and under tsx', async (version) => {
    expect(await node(version, 'stripped/program.ts')).toBe('42\n')
    expect(await node(version, '--import', 'tsx', 'transformed/program.ts')).toBe('42\n')
  })

  test.each(['22', '24', '26'])('Node %s runs, fails, replaces and streams as the oldest one does', async (version) => {
    expect(await node(version, 'version.cjs')).toBe(`${version}\n`)
    expect(JSON.parse(await node(version, 'program.mjs'))).toEqual([
      42,
      'RangeError',
      'EVENKEEL_WORKER_EXIT',
      'replaced',
      2,
      4,
      6,
    ])
  })
})
