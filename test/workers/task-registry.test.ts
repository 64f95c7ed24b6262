import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_TASK_NAMES } from '../../src/protocol/batch.js'
import { loadTasks, type TaskModule } from '../../workers/task-registry.js'

let folder = ''
let files = 0
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-tasks-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Loads a module of this text. */
function load(text: string, suffix = '.mjs'): Promise<TaskModule> {
  const file = join(folder, `module-${files++}${suffix}`)
  writeFileSync(file, text)
  return loadTasks(pathToFileURL(file).href)
}

const called = (module: TaskModule) =>
  module.tasks.map(({ name, run }): [string, unknown] => [name, run(undefined, undefined as never)])

describe('tasks', () => {
  test('of an ECMAScript module are its exported functions', async () => {
    const module = await load(`
      export function a() { return 'a' }
      export const b = () => 'b'
      export const number = 1
      export default function () { return 'default' }
      export class C {}`)
    expect(new Set(module.names)).toEqual(new Set(['C', 'a', 'b', 'default']))
    const functions = module.tasks.filter(({ name }) => name !== 'C')
    expect(new Map(called({ ...module, tasks: functions }))).toEqual(
      new Map([
        ['a', 'a'],
        ['b', 'b'],
        ['default', 'default'],
      ]),
    )
  })

  test('of a CommonJS module that exports a function are that function and its own', async () => {
    const module = await load(`module.exports = () => 'main'; module.exports.extra = () => 'extra'`, '.cjs')
    expect(new Map(called(module))).toEqual(
      new Map([
        ['default', 'main'],
        ['extra', 'extra'],
      ]),
    )
  })

  test('of a CommonJS module that exports an object are its functions, computed names too', async () => {
    const module = await load(`module.exports = { a: () => 'a', ['b' + 1]: () => 'b1', n: 3 }`, '.cjs')
    expect(new Map(called(module))).toEqual(
      new Map([
        ['a', 'a'],
        ['b1', 'b1'],
      ]),
    )
  })

  test('of a transpiled module are those of its default too', async () => {
    const module = await load(
      `Object.defineProperty(exports, '__esModule', { value: true })
       exports.default = () => 'inner'
       exports.named = () => 'named'`,
      '.cjs',
    )
    expect(new Map(called(module))).toEqual(
      new Map([
        ['default', 'inner'],
        ['named', 'named'],
      ]),
    )
  })

  test('are those of an object exported as default', async () => {
    const module = await load(`export default { a: () => 'a', b: 2 }`)
    expect(called(module)).toEqual([['a', 'a']])
  })

  test('are own properties only, hooks and what Node adds left out', async () => {
    const module = await load(`
      class Tasks { inherited() {} }
      export default Object.assign(new Tasks(), { own: () => 'own' })
      export function setup() {}
      export function teardown() {}
      export function kinds() {}
      const all = () => {}
      export { all as 'module.exports' }`)
    expect(module.names).toEqual(['own'])
    expect([typeof module.setup, typeof module.teardown]).toEqual(['function', 'function'])
  })

  test('have names like __proto__ and toString only when these are exported', async () => {
    const module = await load(`export function toString() { return 'mine' }\nexport const x = () => 'x'`)
    expect(called(module)).toEqual([
      ['toString', 'mine'],
      ['x', 'x'],
    ])
  })

  test('start without a past', async () => {
    const module = await load('export const a = () => 1')
    expect(module.tasks[0]!.runTimes.mayBeLong(0)).toBe(true)
    expect([module.setup, module.teardown]).toEqual([undefined, undefined])
  })
})

describe('kinds', () => {
  test('say which tasks are I/O; the others are CPU tasks', async () => {
    const module = await load(`export const a = () => 1, b = () => 2, kinds = { b: 'io' }`)
    expect(module.kinds).toEqual(['cpu', 'io'])
    expect(module.tasks.map(({ kind }) => kind)).toEqual(['cpu', 'io'])
  })

  test('of CommonJS stand in the exported object', async () => {
    const module = await load(`module.exports = { a: () => 1, kinds: { a: 'io' } }`, '.cjs')
    expect(module.kinds).toEqual(['io'])
  })

  test('that are none are refused by name', async () => {
    await expect(load(`export const a = () => 1, kinds = { a: 'gpu' }`)).rejects.toThrow(
      "kinds.a: expected 'cpu' or 'io', got gpu",
    )
  })

  test('of a name that is no task are refused, with the task that was meant', async () => {
    await expect(load(`export const fetchPage = () => 1, kinds = { fetchPgae: 'io' }`)).rejects.toThrow(
      "no task 'fetchPgae'; did you mean 'fetchPage'?",
    )
    await expect(load(`export const a = () => 1, setup = () => 1, kinds = { setup: 'io' }`)).rejects.toThrow(
      "kinds.setup: the module exports no task 'setup'; its tasks are a",
    )
  })

  test('come from own properties only', async () => {
    const module = await load(`export const toString = () => 1, kinds = {}`)
    expect(module.kinds).toEqual(['cpu'])
  })
})

describe('a module that offers nothing', () => {
  test('is refused', async () => {
    await expect(load('export const answer = 42')).rejects.toThrow('exports no function that could be a task')
  })

  test('because it has too much is refused', async () => {
    const text = `module.exports = Object.fromEntries(Array.from({ length: ${MAX_TASK_NAMES + 1} }, (_, at) => ['f' + at, () => at]))`
    await expect(load(text, '.cjs')).rejects.toThrow(`more than ${MAX_TASK_NAMES} functions`)
  })

  test('because it cannot be found or throws says what Node said', async () => {
    await expect(loadTasks(pathToFileURL(join(folder, 'gone.mjs')).href)).rejects.toThrow(/gone\.mjs/)
    await expect(load(`throw new RangeError('at import')`)).rejects.toThrow('at import')
  })
})
