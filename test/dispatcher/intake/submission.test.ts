import { afterEach, expect, test } from 'vitest'
import { Closing } from '../../../src/dispatcher/closing.js'
import { Submission } from '../../../src/dispatcher/intake/submission.js'
import { type CallDefaults, NO_OPTIONS } from '../../../src/dispatcher/options/run-options.js'
import { closedError } from '../../../src/dispatcher/settling/losses.js'
import { FakePool } from '../../support/fake-pool.js'

let pool: FakePool
afterEach(() => pool.dispose())

function submissionOf(defaults?: CallDefaults): { submission: Submission; closing: Closing } {
  pool = FakePool.loaded({ workers: 1, defaults })
  const closing = new Closing(pool.core, pool.clock)
  const { names, ledger, gates, arrivals } = pool.core
  const parts = { names, ledger, gates, arrivals, clock: pool.clock, closing: closing.signal }
  return { submission: new Submission({ ...parts, defaults: pool.options.defaults }), closing }
}

test('a task counts from its own call, also where its caller worked since the last one, and keeps the order of the calls', async () => {
  const { submission } = submissionOf()
  const tasks: number[][] = []
  const note = ({ submittedMs, sequence }: { submittedMs: number; sequence: number }) =>
    tasks.push([submittedMs, sequence])
  const first = submission.start('work', 1, {}, note)
  pool.clock.advance(1)
  const second = submission.start('work', 2, {}, note)
  await undefined
  const third = submission.start('work', 3, {}, note)
  expect(tasks).toEqual([
    [1_000, 0],
    [1_001, 1],
    [1_001, 2],
  ])
  pool.runAll()
  expect(await Promise.all([first, second, third])).toEqual([1, 2, 3])
})

test('whatever is refused is a rejection and counted, shared or not', async () => {
  const { submission, closing } = submissionOf()
  await expect(submission.run(5, 1, undefined)).rejects.toMatchObject({ option: 'name' })
  await expect(submission.run(5, 1, { share: 'a' })).rejects.toMatchObject({ option: 'name' })
  await expect(submission.run('work', 1, { share: 5 } as never)).rejects.toMatchObject({ option: 'share' })
  void closing.close(true, 0)
  await expect(submission.run('work', 1, undefined)).rejects.toMatchObject({ code: closedError().code })
  await expect(submission.run('work', 1, { share: 'a' })).rejects.toMatchObject({ code: 'EVENKEEL_CLOSED' })
  await expect(submission.start('work', 1, {})).rejects.toMatchObject({ code: 'EVENKEEL_CLOSED' })
  expect(pool.core.ledger.rejected).toBe(6)
})

test('a refused call counts under its name, where that is one of the module', async () => {
  const { submission } = submissionOf()
  await expect(submission.run('work', 1, { priority: 0.5 })).rejects.toMatchObject({ option: 'priority' })
  await expect(submission.run('typo', 1, { priority: 0.5 })).rejects.toMatchObject({ option: 'priority' })
  await expect(submission.run({}, 1, undefined)).rejects.toMatchObject({ option: 'name' })
  const counts = pool.core.names.counts().map(({ task, submitted, outcomes }) => [task, submitted, outcomes.rejected])
  expect(counts).toEqual([
    ['work', 1, 1],
    [undefined, 2, 2],
  ])
})

test('calls without options share the defaults of the pool, and are as cheap as before where there are none', () => {
  const accepted: unknown[] = []
  const optionsOf = (defaults?: CallDefaults) => {
    const { submission } = submissionOf(defaults)
    const { arrivals } = pool.core
    const accept = arrivals.accept.bind(arrivals)
    arrivals.accept = (task) => {
      accepted.push(task.options)
      accept(task)
    }
    for (const options of [undefined, undefined, { priority: 1 }]) void submission.run('work', 1, options)
    return accepted.splice(0)
  }
  expect(optionsOf().slice(0, 2)).toEqual([NO_OPTIONS, NO_OPTIONS])
  expect(optionsOf({})[0]).toBe(NO_OPTIONS)
  pool.dispose()
  const [first, second, third] = optionsOf({ deadlineMs: 50, priority: 4 })
  expect(first).toBe(second)
  expect([first, third]).toEqual([
    { deadlineMs: 50, priority: 4 },
    { deadlineMs: 50, priority: 1 },
  ])
})
