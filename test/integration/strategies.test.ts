import { afterEach, describe, expect, test } from 'vitest'
import { Dispatcher } from '../../src/index.js'
import { catalogue, type StrategyName } from '../../src/selection/index.js'

const module = new URL('./tasks.mjs', import.meta.url)
const TASKS = 300

let pool: Dispatcher

afterEach(() => pool.close())

/** Every task's own answer, with eight callers at work; how many each worker did. */
async function spreadOf(strategy: StrategyName, mode: 'central' | 'push') {
  pool = new Dispatcher({ module, workers: 3, strategy, mode })
  await pool.ready()
  let next = 0
  const wrong: unknown[] = []
  const caller = async () => {
    while (next < TASKS) {
      const given = next++
      const got = await pool.run('noop', given)
      if (got !== given) wrong.push([given, got])
    }
  }
  await Promise.all(Array.from({ length: 8 }, caller))
  expect(wrong).toEqual([])
  return pool.snapshot().workers.map(({ completed }) => completed)
}

describe.each(catalogue.map(({ name }) => name))('strategy %s', (name) => {
  test('answers every task, from a central queue', async () => {
    const spread = await spreadOf(name, 'central')
    expect(spread.reduce((sum, count) => sum + count, 0)).toBe(TASKS)
  })

  test('answers every task, pushed', async () => {
    const spread = await spreadOf(name, 'push')
    expect(spread.reduce((sum, count) => sum + count, 0)).toBe(TASKS)
  })
})

test('the literal rule of the first source runs live', async () => {
  pool = new Dispatcher({
    module,
    workers: 3,
    strategy: { name: 'range-table', draws: 1, steepness: 1, signal: 'reported' },
  })
  expect(await pool.run('noop', 'literal')).toBe('literal')
})

test('round robin, pushed, gives each worker its third', async () => {
  expect(await spreadOf('round-robin', 'push')).toEqual([100, 100, 100])
})

test('a strategy of your own is asked', async () => {
  let asked = 0
  const last = {
    name: 'last',
    pick(view: { size: number; isCandidate(index: number): boolean }) {
      asked++
      for (let index = view.size - 1; index >= 0; index--) if (view.isCandidate(index)) return index
      return -1
    },
  }
  pool = new Dispatcher({ module, workers: 3, strategy: last, mode: 'push' })
  await pool.ready()
  for (let call = 0; call < 20; call++) await pool.run('noop', call)
  expect(asked).toBe(20)
  expect(pool.snapshot().workers.map(({ completed }) => completed)).toEqual([0, 0, 20])
})
