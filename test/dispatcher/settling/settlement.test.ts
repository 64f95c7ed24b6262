import { afterEach, describe, expect, test } from 'vitest'
import { EvenkeelError } from '../../../src/base/errors.js'
import { FAILED } from '../../../src/protocol/batch.js'
import { encodeError } from '../../../src/protocol/error-transfer.js'
import { FakePool } from '../../support/fake-pool.js'

let pool: FakePool
afterEach(() => pool.dispose())

const CLOSED = (task: { name: string }) => new EvenkeelError('EVENKEEL_CLOSED', `closed before ${task.name}`)

describe('an answer', () => {
  test('resolves with its value or rejects with what was thrown', () => {
    pool = FakePool.loaded({ workers: 1 })
    const [good, bad] = [pool.run('work', 7), pool.run('work')]
    pool.deliver()
    const thread = pool.thread(0)
    thread.end(thread.start()!, 8)
    thread.fail(thread.start()!, Object.assign(new TypeError('no'), { code: 'E_NO' }))
    thread.answer()
    pool.deliver()
    expect(good.ends).toEqual([['ok', 8]])
    expect(bad.ends).toEqual([['failed', expect.objectContaining({ name: 'TypeError', message: 'no', code: 'E_NO' })]])
    expect(pool.worker(0)).toMatchObject({ record: { completed: 1, failed: 1 }, finishedInLife: 2, state: 'idle' })
  })

  test('tells a gate that its task has started, seen or not: the interval counts from there', async () => {
    pool = FakePool.loaded({ workers: 1, gates: { rate: { intervalCap: 1, intervalMs: 60_000 } } })
    for (let i = 0; i < 2; i++) pool.run('work', i, { gate: 'rate' })
    const { gates } = pool.core
    const turn = () => new Promise(setImmediate)
    while (gates.size > 1) await turn()
    pool.deliver()
    expect(pool.thread(0).runAll()).toEqual(['work'])
    pool.deliver()
    for (let turns = 0; turns < 5; turns++) await turn()
    expect(gates.size).toBe(1)
    pool.clock.advance(60_000)
    while (gates.size > 0) await turn()
    pool.deliver()
    expect(pool.thread(0).runAll()).toEqual(['work'])
    pool.deliver()
  })

  test('of a task that was asked to end rejects with the reason, whatever it says', () => {
    pool = FakePool.loaded({ workers: 1 })
    const controller = new AbortController()
    const { ends } = pool.run('work', 1, { signal: controller.signal })
    pool.deliver()
    const held = pool.thread(0).start()!
    controller.abort()
    expect(ends).toEqual([])
    pool.thread(0).end(held, 'done all the same')
    pool.thread(0).answer()
    pool.deliver()
    expect(ends).toEqual([['failed', expect.objectContaining({ code: 'EVENKEEL_ABORTED' })]])
    expect(pool.core.earlyEnds.watched).toBe(0)
  })

  test('that could not be cloned in the worker learns the name of its task', () => {
    pool = FakePool.loaded({ workers: 1 })
    const { ends } = pool.run('work')
    pool.deliver()
    const error = new EvenkeelError('EVENKEEL_CLONE', 'result.fn cannot be cloned', { path: 'result.fn' })
    pool.thread(0).end(
      pool.thread(0).start()!,
      encodeError(error, () => true),
      FAILED,
    )
    pool.thread(0).answer()
    pool.deliver()
    expect(ends).toEqual([
      ['failed', expect.objectContaining({ code: 'EVENKEEL_CLONE', task: 'work', path: 'result.fn' })],
    ])
  })

  test('that failed is tried again where its owner asked, on whichever worker has room', () => {
    pool = FakePool.loaded({ workers: 1 })
    const { task, ends } = pool.run('work', 1, { retries: { times: 1, on: 'any', backoffMs: 10 } })
    pool.deliver()
    pool.thread(0).fail(pool.thread(0).start()!, new Error('first'))
    pool.thread(0).answer()
    pool.deliver()
    expect([task.place, ends.length, pool.core.ledger.unsettled]).toEqual(['delay', 0, 1])
    pool.clock.advance(10)
    pool.deliver()
    const again = pool.thread(0).start()!
    expect(again.attempt).toBe(2)
    pool.thread(0).end(again, 'second')
    pool.thread(0).answer()
    pool.deliver()
    expect(ends).toEqual([['ok', 'second']])
  })

  test.each(['answers', 'is lost with its thread'])(
    'and was asked to end before its failure was heard of is not tried again: it %s, and rejects with the abort',
    async (way) => {
      pool = FakePool.loaded({ workers: 1 })
      const controller = new AbortController()
      const retries = { times: 1, on: 'any', backoffMs: 10 } as const
      const { ends } = pool.run('work', 1, { retries, signal: controller.signal })
      pool.deliver()
      pool.thread(0).fail(pool.thread(0).start()!, new Error('first'))
      controller.abort(new Error('enough'))
      expect(ends).toEqual([])
      if (way === 'answers') pool.thread(0).answer()
      else pool.thread(0).die()
      pool.deliver()
      await undefined
      const aborted = { code: 'EVENKEEL_ABORTED', cause: new Error('enough') }
      expect(ends).toEqual([['failed', expect.objectContaining(aborted)]])
      expect(pool.core.ledger.unsettled).toBe(0)
      expect(pool.core.earlyEnds?.watched ?? 0).toBe(0)
    },
  )

  test('and was asked to end before its last failure was heard of rejects with its own error', () => {
    pool = FakePool.loaded({ workers: 1 })
    const controller = new AbortController()
    const { ends } = pool.run('work', 1, { signal: controller.signal })
    pool.deliver()
    pool.thread(0).fail(pool.thread(0).start()!, new Error('first'))
    controller.abort(new Error('enough'))
    pool.thread(0).answer()
    pool.deliver()
    expect(ends).toEqual([['failed', expect.objectContaining({ message: 'first' })]])
  })
})

describe('what an answer says of its worker', () => {
  test('response times are kept while they count', () => {
    pool = FakePool.loaded({ workers: 1, load: { coefficients: { response: 1 } } })
    pool.run('work')
    pool.deliver()
    const held = pool.thread(0).start()!
    pool.clock.advance(3)
    pool.thread(0).end(held, 1)
    pool.thread(0).answer()
    pool.deliver()
    expect(pool.worker(0).responseMs).toBe(3)
  })

  test('one that fails what others do not fail gives back what it holds and gets nothing for a while', () => {
    pool = FakePool.loaded({ workers: 2, window: 8, takeBack: true })
    const all = Array.from({ length: 40 }, (_, index) => pool.run('work', index))
    for (let round = 0; round < 40 && pool.worker(0).state !== 'ejected'; round++) {
      pool.deliver()
      const bad = pool.thread(0)
      const failing = bad.start()
      if (failing !== undefined) bad.fail(failing, new Error('broken'))
      bad.answer()
      const good = pool.thread(1)
      const held = good.start()
      if (held !== undefined) good.end(held, held.payload)
      good.answer()
      pool.deliver()
    }
    expect(pool.worker(0)).toMatchObject({ state: 'ejected', outstanding: 0 })
    pool.thread(0).runAll()
    pool.runAll()
    expect(all.every(({ ends }) => ends.length === 1)).toBe(true)
    expect(pool.worker(0).record.failed).toBeLessThan(12)
  })

  test('the first successes after a crash widen its window again', async () => {
    pool = FakePool.loaded({ workers: 1 })
    pool.thread(0).die()
    pool.load()
    expect(pool.worker(0).windowLimit).toBe(1)
    const limits: number[] = []
    for (let task = 0; task < 9; task++) {
      pool.run('work')
      pool.runAll()
      limits.push(pool.worker(0).windowLimit)
    }
    expect(limits.slice(0, 4)).toEqual([2, 4, 8, 16])
    expect(limits.at(-1)).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('a lost worker', () => {
  test('rejects the culprit and the bystanders, moves what was not started, and takes in every last answer', () => {
    pool = FakePool.loaded({ workers: { min: 1, max: 1 }, window: 4, takeBack: false })
    const done = pool.run('work', 'done')
    const culprit = pool.run('work', 'culprit')
    const unstarted = pool.run('work', 'unstarted')
    const io = pool.run('fetch', 'io')
    pool.deliver()
    const thread = pool.thread(0)
    thread.start('io')
    thread.end(thread.start()!, 'answer')
    thread.start()
    thread.answer()
    thread.die({ exitCode: 3 })
    expect(done.ends).toEqual([['ok', 'answer']])
    expect(culprit.ends).toEqual([['failed', expect.objectContaining({ code: 'EVENKEEL_WORKER_EXIT', exitCode: 3 })]])
    expect(io.ends).toEqual([['failed', expect.objectContaining({ code: 'EVENKEEL_LOST_WITH_WORKER' })]])
    expect([unstarted.ends, unstarted.task.place]).toEqual([[], 'queue'])
    pool.load()
    pool.runAll()
    expect(unstarted.ends).toEqual([['ok', 'unstarted']])
    expect(pool.core.ledger.unsettled).toBe(0)
  })

  test('without an owner of the error tells those who listen', () => {
    pool = FakePool.loaded({ workers: 1 })
    const boom = new Error('late')
    pool.thread(0).die({ exitCode: 1, error: boom })
    expect(pool.events.filter(([name]) => name === 'error')).toEqual([['error', boom]])
  })

  test('that brought down three workers with one task refuses it for good', async () => {
    pool = FakePool.loaded({ workers: 1 })
    const { task, ends } = pool.run('work', 1, { retries: { times: 100, backoffMs: 1 } })
    for (let crash = 0; crash < 3; crash++) {
      pool.load()
      pool.deliver()
      expect(ends).toEqual([])
      expect(pool.thread(0).start()).toBeDefined()
      pool.thread(0).die()
      expect([task.key, task.previous, task.next]).toEqual([-1, undefined, undefined])
      await undefined
      pool.clock.advance(1_000)
    }
    expect(ends).toEqual([['failed', expect.objectContaining({ code: 'EVENKEEL_POISON', attempts: 3 })]])
  })
})

describe('rejecting all', () => {
  test('reaches queued, delayed, reserved, posted and running tasks, each once', () => {
    pool = FakePool.loaded({ workers: 1, window: 2, takeBack: false })
    const retried = pool.run('work', 0, { retries: { times: 1, on: 'any', backoffMs: 1_000 } })
    pool.deliver()
    pool.thread(0).fail(pool.thread(0).start()!, new Error('again'))
    pool.thread(0).answer()
    pool.deliver()
    const buffer = new ArrayBuffer(1)
    const all = [retried, pool.run('work', 'running'), pool.run('work', 'posted'), pool.run('fetch', 'io')]
    pool.deliver()
    const held = pool.thread(0).start()!
    all.push(pool.run('work', buffer, { transfer: [buffer] }), pool.run('work', 'queued'))
    expect(all.map(({ task }) => task.place)).toEqual(['delay', 'lane', 'lane', 'lane', 'reservation', 'queue'])
    pool.core.rejectAll(CLOSED)
    expect(all.map(({ ends }) => ends.length)).toEqual([1, 1, 1, 1, 1, 1])
    expect(pool.core.ledger.unsettled).toBe(0)
    // The running one ends all the same; its answer has no task any more, and the posted ones never start.
    pool.thread(0).end(held, 'late')
    pool.thread(0).runAll()
    pool.deliver()
    expect(pool.core.ledger.lateAnswers).toBe(1)
    expect(pool.worker(0).started).toBe(2)
    pool.clock.advance(10_000)
    expect(all.every(({ ends }) => ends.length === 1)).toBe(true)
  })

  test('lets a task that has answered have its answer', () => {
    pool = FakePool.loaded({ workers: 1 })
    const { ends } = pool.run('work', 'ready')
    pool.core.router.flush()
    pool.thread(0).runAll()
    pool.core.rejectAll(CLOSED)
    expect(ends).toEqual([['ok', 'ready']])
  })

  test('reaches the backlog of plain push', () => {
    pool = FakePool.loaded({ workers: 1, mode: 'push' })
    const all = Array.from({ length: 520 }, (_, index) => pool.run('work', index))
    pool.core.rejectAll(CLOSED)
    expect(all.every(({ ends }) => ends.length === 1)).toBe(true)
    expect(pool.worker(0).backlog.size).toBe(0)
  })
})

test('whatever becomes of tasks, each call is counted once, under its own name', () => {
  pool = FakePool.loaded({ workers: 1, window: 2, takeBack: false })
  const controller = new AbortController()
  pool.run('work', 1)
  pool.run('work', 2, { retries: { times: 1, on: 'any', backoffMs: 10 } })
  pool.run('work', 3, { signal: controller.signal })
  pool.run('typo', 4)
  pool.run('fetch', 5)
  controller.abort()
  pool.deliver()
  const thread = pool.thread(0)
  thread.end(thread.start()!, 1)
  thread.fail(thread.start()!, new EvenkeelError('EVENKEEL_TIMEOUT', 'of its own'))
  thread.answer()
  pool.deliver()
  pool.clock.advance(10)
  pool.deliver()
  thread.fail(thread.start()!, new EvenkeelError('EVENKEEL_TIMEOUT', 'of its own'))
  thread.answer()
  pool.deliver()
  thread.start('io')
  thread.die()
  const counts = new Map(pool.core.names.counts().map(({ task, ...rest }) => [task, rest]))
  expect([...counts.keys()].sort()).toEqual(['fetch', 'work', undefined])
  expect(counts.get('work')).toMatchObject({
    submitted: 3,
    outcomes: { ok: 1, error: 1, timeout: 0, aborted: 1, crashed: 0, rejected: 0 },
    retries: { thrown: 1, 'worker-loss': 0 },
  })
  expect(counts.get('fetch')).toMatchObject({ submitted: 1, outcomes: { crashed: 1 } })
  expect(counts.get(undefined)).toMatchObject({ submitted: 1, outcomes: { rejected: 1 } })
})
