import { expect, test } from 'vitest'
import { BoundedLabels, FamilyMaker } from '../../src/metrics/exposition.js'
import { taskFamilies } from '../../src/metrics/task-families.js'
import { countsOf, taskOf } from './observed.js'

const make = new FamilyMaker('p')
const NO_OUTCOMES = { ok: 0, error: 0, timeout: 0, aborted: 0, crashed: 0, rejected: 0 }

/** Value by labels beside the pool's, joined. */
function valuesOf(families: ReturnType<typeof taskFamilies>, name: string, suffix = ''): Record<string, number> {
  const { samples } = families.find((family) => family.name === `evenkeel_${name}`)!
  const told = samples.filter((sample) => sample.suffix === suffix)
  return Object.fromEntries(told.map(({ labels, value }) => [Object.values(labels).slice(1).join(' '), value]))
}

test('each name has its counts, by outcome and by reason of a retry, from zero on', () => {
  const task = taskOf('resize', 3, {
    submitted: 9,
    outcomes: { ...NO_OUTCOMES, ok: 3, timeout: 2 },
    retries: { 'worker-loss': 1, thrown: 4 },
  })
  const families = taskFamilies(make, [task], new BoundedLabels(5))
  expect(valuesOf(families, 'tasks_submitted_total')).toEqual({ resize: 9 })
  expect(valuesOf(families, 'tasks_completed_total')).toEqual({
    'resize ok': 3,
    'resize error': 0,
    'resize timeout': 2,
    'resize aborted': 0,
    'resize crashed': 0,
    'resize rejected': 0,
  })
  expect(valuesOf(families, 'task_retries_total')).toEqual({ 'resize worker-loss': 1, 'resize thrown': 4 })
})

test('each name has its times, from submission to start, to finish, and to the end of all', () => {
  const task = taskOf('a', 2, {
    wait: countsOf([1, 0, 0], 1e6),
    run: countsOf([2, 0, 0], 2e6),
    total: countsOf([3, 0, 0], 3e6),
  })
  const families = taskFamilies(make, [task], new BoundedLabels(5))
  for (const [kind, count] of [
    ['wait', 1],
    ['run', 2],
    ['total', 3],
  ] as const) {
    expect(valuesOf(families, `task_${kind}_seconds`, '_count')).toEqual({ a: count })
    expect(valuesOf(families, `task_${kind}_seconds`, '_sum')).toEqual({ a: count })
  }
})

test('names beyond the limit, and those that the module does not offer, are added up under one label', () => {
  const labels = new BoundedLabels(2)
  const counts = [taskOf('a', 1), taskOf('b', 2), taskOf('c', 4), taskOf(undefined, 8), taskOf('other', 16)]
  const families = taskFamilies(make, counts, labels)
  expect(valuesOf(families, 'tasks_submitted_total')).toEqual({ a: 1, b: 2, other: 28 })
  expect(valuesOf(families, 'task_run_seconds', '_count')).toEqual({ a: 1, b: 2, other: 28 })
  expect(valuesOf(families, 'tasks_completed_total')).toMatchObject({ 'other ok': 28 })
})
