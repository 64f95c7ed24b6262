import { afterEach, describe, expect, test } from 'vitest'
import { Dispatcher, type DispatcherOptions } from '../../src/index.js'

const module = new URL('./tasks.mjs', import.meta.url)
let pool: Dispatcher

async function open(options: Omit<DispatcherOptions, 'module'>): Promise<void> {
  pool = new Dispatcher({ module, ...options })
  await pool.ready()
}

afterEach(() => pool.close({ force: true }))

/** A counter, then for each task its place among the starts, from 1. */
function startCounters(tasks: number) {
  const counters = new SharedArrayBuffer(4 * (tasks + 1))
  const places = () => Array.from(new Int32Array(counters, 4))
  return { counters, places }
}

const inOrder = (values: readonly number[]) => values.every((value, at) => at === 0 || value > values[at - 1])

describe('priority', () => {
  test('a flood is started class by class, in the order of submission within each', async () => {
    const tasks = 3_000
    const { counters, places } = startCounters(tasks)
    await open({ workers: 1, ageMs: 1_000_000, workerData: { counters } })
    // The one worker is busy, so that everything waits before the first of the flood starts.
    const busy = pool.run('parkFor', 200)
    const priorities = Array.from({ length: tasks }, (_, index) => (index * 7) % 5)
    await Promise.all([busy, ...priorities.map((priority, index) => pool.run('order', index, { priority }))])
    const byPlace = places()
      .map((place, index) => ({ place, index, priority: priorities[index] }))
      .sort((a, b) => a.place - b.place)
    const wanted = [...byPlace].sort((a, b) => b.priority - a.priority || a.index - b.index)
    expect(byPlace.map(({ index }) => index)).toEqual(wanted.map(({ index }) => index))
  })

  test('an urgent task overtakes nearly all of what keeps both workers busy', async () => {
    const tasks = 600
    const { counters, places } = startCounters(tasks + 1)
    await open({ workers: 2, workerData: { counters } })
    const flood = Array.from({ length: tasks }, (_, index) =>
      pool.run('order', index).then(() => pool.run('parkFor', 1)),
    )
    const urgent = pool.run('order', tasks, { priority: 10 })
    await Promise.all([urgent, ...flood])
    // Before it: what the workers had started, at most their windows.
    expect(places()[tasks]).toBeLessThan(tasks / 4)
  })
})

test('in a closed loop on one worker tasks start in the order of their submission', async () => {
  const tasks = 20_000
  const { counters, places } = startCounters(tasks)
  await open({ workers: 1, workerData: { counters } })
  let next = 0
  const caller = async () => {
    while (next < tasks) await pool.run('order', next++)
  }
  await Promise.all(Array.from({ length: 64 }, caller))
  expect(inOrder(places())).toBe(true)
})

describe('maxQueue', () => {
  test('counts every accepted task beyond those that can run at once, wherever it waits', async () => {
    await open({ workers: 2, maxQueue: 5 })
    const runs = Array.from({ length: 12 }, () => pool.run('parkFor', 60))
    const outcomes = await Promise.allSettled(runs)
    const refused = outcomes
      .filter(({ status }) => status === 'rejected')
      .map((outcome) => outcome as PromiseRejectedResult)
    // Two run, five wait.
    expect(outcomes.map(({ status }) => status).lastIndexOf('fulfilled')).toBe(6)
    expect(refused.map(({ reason }) => reason.code)).toEqual(Array(5).fill('EVENKEEL_QUEUE_FULL'))
    expect(pool.snapshot()).toMatchObject({ completed: 7, rejected: 5, queued: 0, running: 0 })
  })

  test('is honoured by callers that wait for room', async () => {
    await open({ workers: 2, maxQueue: 3 })
    let most = 0
    const runs = []
    for (let index = 0; index < 200; index++) {
      await pool.room()
      runs.push(pool.run('noop', index))
      const { queued, running } = pool.snapshot()
      most = Math.max(most, queued + running)
    }
    await Promise.all(runs)
    expect(most).toBeLessThanOrEqual(2 + 3)
    expect(pool.snapshot()).toMatchObject({ completed: 200, rejected: 0 })
  })
})

describe('CPU beside I/O', () => {
  test('I/O tasks go to the worker that does not compute', async () => {
    await open({ workers: 2 })
    let computes = true
    let computing: Promise<unknown> | undefined
    // Unstarted it may be taken back and go to the other worker.
    await new Promise((started) => {
      computing = pool.run('slotOf', 400, { onProgress: started }).finally(() => {
        computes = false
      })
    })
    // One at a time, so that each finds the computing worker and the other one.
    const slots: unknown[] = []
    while (slots.length < 20) {
      const slot = await pool.run('slotIo')
      if (!computes) break
      slots.push(slot)
    }
    const computed = (await computing) as number
    expect(new Set(slots)).toEqual(new Set([1 - computed]))
  })

  test('many waits side by side leave room for computing', async () => {
    await open({ workers: 2, ioWindow: 32 })
    let waiting = 64
    const ended = new AbortController()
    const waits = Array.from({ length: 64 }, () =>
      pool.run('waitIo', 60_000, { signal: ended.signal }).finally(() => waiting--),
    )
    await Promise.all(Array.from({ length: 200 }, () => pool.run('noop', 1)))
    expect(waiting).toBe(64)
    ended.abort()
    await Promise.allSettled(waits)
  })
})

describe('keys', () => {
  test('tasks of one key stay on one worker, and keys spread over the workers', async () => {
    await open({ workers: 4 })
    const rounds = 5
    const keys = Array.from({ length: 40 }, (_, index) => `key ${index}`)
    const homes: number[] = []
    let atHome = 0
    for (let round = 0; round < rounds; round++) {
      for (const [index, key] of keys.entries()) {
        const slot = (await pool.run('slotOf', 0, { key })) as number
        homes[index] ??= slot
        if (slot === homes[index]) atHome++
      }
    }
    // A worker that the machine lets wait for 60 ms counts as suspect, and its keys go elsewhere meanwhile.
    expect(atHome).toBeGreaterThan(0.8 * rounds * keys.length)
    expect(new Set(homes).size).toBeGreaterThanOrEqual(3)
  })

  test('a key whose worker is blocked is served by another', async () => {
    await open({ workers: 2 })
    let blocked = true
    const block = pool.run('parkFor', 1_500, { key: 'a' }).finally(() => {
      blocked = false
    })
    await new Promise((resolve) => setTimeout(resolve, 200))
    // On a busy machine the block itself may have gone to another worker than the one that the key stands for.
    const at = pool.snapshot().workers.findIndex(({ oldestRunningMs }) => oldestRunningMs > 0)
    const slots = await Promise.all(Array.from({ length: 10 }, () => pool.run('slotOf', 0, { key: 'a' })))
    expect(new Set(slots)).toEqual(new Set([1 - at]))
    expect(blocked).toBe(true)
    await block
  })
})

describe('moved payloads', () => {
  const buffer = (length: number) => new Uint8Array(length).fill(1).buffer

  test('arrive once each under load of other tasks', async () => {
    await open({ workers: 2 })
    const others = Array.from({ length: 5_000 }, (_, index) => pool.run('noop', index))
    const totals = Array.from({ length: 200 }, (_, index) => {
      const moved = buffer(index + 1)
      return pool.run('total', moved, { transfer: [moved] })
    })
    expect(await Promise.all(totals)).toEqual(totals.map((_, index) => index + 1))
    expect(await Promise.all(others)).toEqual(others.map((_, index) => index))
  })

  test('do not wait for a blocked worker while another is idle', async () => {
    await open({ workers: 2 })
    await Promise.all(Array.from({ length: 100 }, () => pool.run('moody', { value: 1 })))
    let blocked = true
    const first = pool.run('moody', { value: 1, parkMs: 1_500 }).finally(() => {
      blocked = false
    })
    const second = pool.run('moody', { value: 1, parkMs: 100 })
    // Both workers are busy with what counts as short: the tasks wait for one of them.
    const totals = Array.from({ length: 4 }, () => {
      const moved = buffer(10)
      return pool.run('total', moved, { transfer: [moved] })
    })
    expect(await Promise.all(totals)).toEqual([10, 10, 10, 10])
    expect(blocked).toBe(true)
    await Promise.all([first, second])
  })
})

describe("mode: 'push'", () => {
  test('gives one worker more tasks than its lane has claim words, in order', async () => {
    const tasks = 5_000
    const { counters, places } = startCounters(tasks)
    await open({ workers: 1, mode: 'push', workerData: { counters } })
    await Promise.all(Array.from({ length: tasks }, (_, index) => pool.run('order', index)))
    expect(inOrder(places())).toBe(true)
  })

  test('moves what a worker holds when it is replaced', async () => {
    await open({ workers: 2, mode: 'push', strategy: 'round-robin' })
    const runs = Array.from({ length: 3_000 }, (_, index) => pool.run('noop', index))
    pool.recycle()
    expect(await Promise.all(runs)).toEqual(runs.map((_, index) => index))
  })

  test('moves what a worker holds when it is not needed any more', async () => {
    await open({ workers: 2, mode: 'push', strategy: 'round-robin' })
    const runs = Array.from({ length: 3_000 }, (_, index) => pool.run('noop', index))
    pool.resize(1)
    expect(await Promise.all(runs)).toEqual(runs.map((_, index) => index))
  })
})
