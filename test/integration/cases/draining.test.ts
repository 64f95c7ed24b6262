/** Workers that are replaced while they still run something: their successors serve meanwhile. */

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import type { Dispatcher, DispatcherOptions } from '../../../src/index.js'
import { type CaseHost, caseTest, SLACK } from '../../support/case-host.js'
import { errorOf, fixtureUrl, settledWithin, within } from '../../support/outcome.js'

const SECOND_MS = 1_000 * SLACK
const MODULE = fixtureUrl('draining-tasks.mjs')

async function until(condition: () => boolean): Promise<void> {
  const look = async () => {
    while (!condition()) await sleep(5)
  }
  await within(SECOND_MS * 5, look())
}

/** Holds tasks that are called with its flag until it is let go. */
class Hold {
  readonly flag = new Int32Array(new SharedArrayBuffer(4))

  letGo(): void {
    Atomics.store(this.flag, 0, 1)
  }
}

/** Whether the promise is settled already. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  const first = await Promise.race([promise.catch(() => undefined), sleep(0, pending)])
  return first !== pending
}

async function oneOf({ pool }: CaseHost, options: Partial<DispatcherOptions> = {}): Promise<Dispatcher> {
  const one = pool({ module: MODULE, workers: 1, ...options })
  await one.ready()
  return one
}

/** Calls the task, and waits until it runs. */
async function running<T>(pool: Dispatcher, call: () => Promise<T>): Promise<{ promise: Promise<T> }> {
  const started = () => pool.snapshot().workers.reduce((sum, worker) => sum + worker.started, 0)
  const before = started()
  const promise = call()
  promise.catch(() => {})
  await until(() => started() > before)
  return { promise }
}

describe('a pool of one goes on beside a thread that drains', () => {
  caseTest('after a recycle beside a long I/O task, which is not interrupted', async (host) => {
    const one = await oneOf(host)
    const first = await within(SECOND_MS, one.run('tid'))
    const hold = new Hold()
    const { promise: long } = await running(one, () => one.run('heldIo', hold.flag))
    one.recycle()
    expect(await within(SECOND_MS, one.run('tid'))).not.toBe(first)
    expect(await isSettled(long)).toBe(false)
    expect(one.snapshot()).toMatchObject({ running: 1, draining: [{ slot: 0, threadId: first, outstanding: 1 }] })
    hold.letGo()
    expect(await within(SECOND_MS * 2, long)).toBe(first)
    await until(() => one.snapshot().draining.length === 0)
  })

  caseTest('after a recycle beside a CPU task that waits', async (host) => {
    const one = await oneOf(host)
    const hold = new Hold()
    const { promise: long } = await running(one, () => one.run('held', hold.flag))
    const behind = [1, 2, 3].map((n) => one.run('plus', n))
    one.recycle()
    expect(await settledWithin(SECOND_MS, behind)).toEqual([2, 3, 4])
    expect(await isSettled(long)).toBe(false)
    hold.letGo()
    await within(SECOND_MS * 2, long)
  })

  caseTest('after an I/O task that ignored its time limit, beside another', async (host) => {
    const one = await oneOf(host, { graceMs: 20 })
    const hold = new Hold()
    const { promise: long } = await running(one, () => one.run('heldIo', hold.flag))
    expect(await errorOf(SECOND_MS, one.run('neverIo', 0, { runTimeoutMs: 20 }))).toMatchObject({
      code: 'EVENKEEL_TIMEOUT',
    })
    expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
    expect(await isSettled(long)).toBe(false)
    hold.letGo()
    await within(SECOND_MS * 2, long)
  })

  caseTest('after so many tasks, beside one that never ends', async (host) => {
    const one = await oneOf(host, { maxTasksPerWorker: 5 })
    const { promise: endless } = await running(one, () => one.run('neverIo', 0, { tag: 'endless' }))
    const threads = new Set()
    for (let call = 0; call < 21; call++) threads.add(await within(SECOND_MS, one.run('tid')))
    expect(threads.size).toBe(5)
    expect(one.cancel('endless')).toBe(1)
    expect(await errorOf(SECOND_MS, endless)).toMatchObject({ code: 'EVENKEEL_ABORTED' })
  })

  caseTest('where each of three threads has one that never ends', async (host) => {
    const one = await oneOf(host, { maxTasksPerWorker: 2 })
    for (let life = 0; life < 3; life++) {
      await running(one, () => one.run('neverIo', 0, { tag: 'endless' }))
      expect(await within(SECOND_MS, one.run('plus', life))).toBe(life + 1)
    }
    expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
    one.cancel('endless')
  })

  caseTest('that ends with its last task still running, whichever takes longer', async (host) => {
    const one = await oneOf(host, { maxTasksPerWorker: 1 })
    const hold = new Hold()
    const { promise: long } = await running(one, () => one.run('held', hold.flag))
    expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
    expect(await isSettled(long)).toBe(false)
    hold.letGo()
    await within(SECOND_MS * 2, long)
  })
})

describe('a task on a thread that drains', () => {
  caseTest('is ended with it once the time that close would give is up, as a bystander', async (host) => {
    const one = await oneOf(host, { closeTimeoutMs: 150 })
    const exits: unknown[] = []
    one.on('exit', (event) => exits.push(event))
    const { promise } = await running(one, () => one.run('neverIo'))
    one.recycle()
    const error = await errorOf(SECOND_MS, promise)
    expect(error).toMatchObject({ code: 'EVENKEEL_LOST_WITH_WORKER', retryable: true })
    expect(error.message).toContain('150 ms')
    expect(exits).toMatchObject([{ slot: 0, expected: true, reason: 'timeout' }])
    expect(one.snapshot().draining).toEqual([])
  })

  caseTest('is tried again elsewhere then, where it asks for that', async (host) => {
    const one = await oneOf(host, { closeTimeoutMs: 150 })
    const hold = new Hold()
    const { promise } = await running(one, () =>
      one.run('heldIo', hold.flag, { retries: { times: 1, on: 'worker-loss', backoffMs: 1 } }),
    )
    one.recycle()
    const second = await within(SECOND_MS, one.run('tid'))
    await until(() => one.snapshot().draining.length === 0)
    hold.letGo()
    expect(await within(SECOND_MS * 2, promise)).toBe(second)
  })

  caseTest('keeps its time limit, its signal and its tag', async (host) => {
    const one = await oneOf(host, { graceMs: 20 })
    const stop = new AbortController()
    const { promise: limited } = await running(one, () => one.run('neverIo', 0, { runTimeoutMs: 400 }))
    const { promise: signalled } = await running(one, () => one.run('neverIo', 0, { signal: stop.signal }))
    const { promise: tagged } = await running(one, () => one.run('neverIo', 0, { tag: 'old' }))
    one.recycle()
    expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
    expect(one.setPriority('old', 3)).toBe(0)
    stop.abort()
    expect(one.cancel('old')).toBe(1)
    expect(await errorOf(SECOND_MS, signalled)).toMatchObject({ code: 'EVENKEEL_ABORTED' })
    expect(await errorOf(SECOND_MS, tagged)).toMatchObject({ code: 'EVENKEEL_ABORTED' })
    expect(await errorOf(SECOND_MS, limited)).toMatchObject({ code: 'EVENKEEL_TIMEOUT' })
    await until(() => one.snapshot().draining.length === 0)
  })

  caseTest('goes on to stream its items and tell its progress', async (host) => {
    const one = await oneOf(host)
    const heard: unknown[] = []
    const { promise: stepped } = await running(one, () =>
      one.run('steps', 30, { onProgress: (step) => heard.push(step) }),
    )
    const items: unknown[] = []
    for await (const item of one.stream('count', 40)) {
      if (items.push(item) === 1) one.recycle()
      if (items.length === 2) expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
    }
    // More than the 16 that are sent without a word from here.
    expect(items).toEqual(Array.from({ length: 40 }, (_, at) => at))
    expect(await within(SECOND_MS, stepped)).toBe(30)
    expect(heard).toHaveLength(30)
  })

  caseTest('that ends the thread is to blame; the successor does not notice', async (host) => {
    const one = await oneOf(host)
    const hold = new Hold()
    const { promise: culprit } = await running(one, () => one.run('exitIo', hold.flag))
    const { promise: bystander } = await running(one, () => one.run('neverIo'))
    one.recycle()
    const thread = await within(SECOND_MS, one.run('tid'))
    hold.letGo()
    expect(await errorOf(SECOND_MS, culprit)).toMatchObject({ code: 'EVENKEEL_WORKER_EXIT', exitCode: 9 })
    expect(await errorOf(SECOND_MS, bystander)).toMatchObject({ code: 'EVENKEEL_LOST_WITH_WORKER' })
    expect(await within(SECOND_MS, one.run('tid'))).toBe(thread)
    expect(one.snapshot().workers[0]).toMatchObject({ starts: 2, restarts: 1 })
  })

  caseTest('does not keep a close from ending', async ({ closingPool }) => {
    const one = closingPool({ module: MODULE, workers: 1 })
    await one.ready()
    const { promise } = await running(one, () => one.run('neverIo'))
    one.recycle()
    await within(SECOND_MS, one.run('plus', 1))
    const closed = one.close({ timeoutMs: 50 })
    expect(await errorOf(SECOND_MS, promise)).toMatchObject({ code: 'EVENKEEL_CLOSED' })
    await within(SECOND_MS, closed)
    expect(one.snapshot()).toMatchObject({ running: 0, draining: [] })
  })
})

describe('a rolling recycle', () => {
  caseTest('keeps all but one of its workers, and replaces each beside its long task', async ({ pool }) => {
    const three = pool({ module: MODULE, workers: 3 })
    await three.warmUp()
    const before = three.snapshot().workers.map(({ threadId }) => threadId)
    const hold = new Hold()
    for (let worker = 0; worker < 3; worker++) await running(three, () => three.run('held', hold.flag))
    const restarts: unknown[] = []
    let fewest = 3
    three.on('restart', (event) => restarts.push(event))
    three.recycle()
    await until(() => {
      const { workers } = three.snapshot()
      fewest = Math.min(fewest, workers.filter(({ state }) => state !== 'starting' && state !== 'dead').length)
      return workers.every(({ threadId, state }, slot) => threadId !== before[slot] && state === 'idle')
    })
    expect(fewest).toBe(2)
    expect(restarts).toHaveLength(3)
    expect(three.snapshot().draining).toHaveLength(3)
    hold.letGo()
  })

  caseTest('leaves slot, broadcasts and calls to all workers to the successors', async (host) => {
    const one = await oneOf(host)
    await one.broadcast('setRate', 7)
    const hold = new Hold()
    const { promise: long } = await running(one, () => one.run('heldIo', hold.flag))
    one.recycle()
    expect(await within(SECOND_MS, one.run('rateOf'))).toBe(7)
    const [thread] = (await within(SECOND_MS, one.runOnAll('tid'))) as number[]
    expect(thread).toBe(one.snapshot().workers[0]!.threadId)
    hold.letGo()
    expect(await within(SECOND_MS * 2, long)).not.toBe(thread)
  })
})

describe('maxHeapBytes', () => {
  caseTest('replaces a worker after the task that crossed it, also when it was idle before', async (host) => {
    const limit = 50e6
    const one = await oneOf(host, { maxHeapBytes: limit })
    let crossed: number | undefined
    for (let call = 0; call < 7; call++) {
      const { threadId, heap } = (await within(SECOND_MS, one.run('leak', 2))) as { threadId: number; heap: number }
      expect(threadId).not.toBe(crossed)
      crossed = heap > limit ? threadId : undefined
      // Long enough for the beat to end: an idle worker says nothing any more.
      await sleep(call % 2 === 0 ? 60 : 0)
    }
    expect(one.snapshot().workers[0]!.restarts).toBeGreaterThanOrEqual(2)
  })
})
