import { expect, test } from 'vitest'
import { EvenkeelError } from '../../../src/base/errors.js'
import { outcomeOf, TaskTally } from '../../../src/dispatcher/tasks/task-tally.js'

test.each([
  ['EVENKEEL_TIMEOUT', 'timeout'],
  ['EVENKEEL_DEADLINE', 'timeout'],
  ['EVENKEEL_QUEUE_TIMEOUT', 'timeout'],
  ['EVENKEEL_ABORTED', 'aborted'],
  ['EVENKEEL_CLOSED', 'aborted'],
  ['EVENKEEL_WORKER_EXIT', 'crashed'],
  ['EVENKEEL_LOST_WITH_WORKER', 'crashed'],
  ['EVENKEEL_POISON', 'crashed'],
  ['EVENKEEL_UNKNOWN_TASK', 'rejected'],
  ['EVENKEEL_CLONE', 'error'],
  ['EVENKEEL_MODULE_LOAD', 'error'],
] as const)('a task that is rejected with %s comes to %s', (code, outcome) => {
  expect(outcomeOf(new EvenkeelError(code, 'because'))).toBe(outcome)
})

test('whatever else a task is rejected with is an error', () => {
  expect([new Error('mine'), { code: 'EVENKEEL_TIMEOUT' }, null].map(outcomeOf)).toEqual(['error', 'error', 'error'])
})

test('what one has counted another can take over', () => {
  const [a, b] = [new TaskTally(), new TaskTally()]
  a.submitted = 2
  b.submitted = 3
  b.outcomes.crashed = 4
  b.retries.thrown = 5
  a.runTimes.record(100)
  b.runTimes.record(900)
  b.waitTimes.record(10)
  b.totalTimes.record(20)
  a.add(b)
  const { submitted, outcomes, retries, run, wait, total } = a.counts('x')
  expect({ submitted, crashed: outcomes.crashed, ok: outcomes.ok, thrown: retries.thrown }).toEqual({
    submitted: 5,
    crashed: 4,
    ok: 0,
    thrown: 5,
  })
  expect([run.sumUs, wait.sumUs, total.sumUs]).toEqual([1_000, 10, 20])
})

test('counts are a copy', () => {
  const tally = new TaskTally()
  const before = tally.counts(undefined)
  tally.outcomes.ok++
  tally.runTimes.record(5)
  expect([before.outcomes.ok, before.run.sumUs, before.task]).toEqual([0, 0, undefined])
})
