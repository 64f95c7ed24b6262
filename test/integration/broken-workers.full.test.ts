import { afterEach, describe, expect, test } from 'vitest'
import { Dispatcher, type DispatcherOptions } from '../../src/index.js'

const module = new URL('./tasks.mjs', import.meta.url)
let pool: Dispatcher

async function open(options: Omit<DispatcherOptions, 'module'>): Promise<void> {
  pool = new Dispatcher({ module, ...options })
  await pool.ready()
}

afterEach(() => pool.close({ force: true }))

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Runs `total` tasks with so many callers at a time, and gives their outcomes in the order of submission. */
async function closedLoop(callers: number, total: number, run: (index: number) => Promise<unknown>) {
  const outcomes: PromiseSettledResult<unknown>[] = []
  let next = 0
  const caller = async () => {
    while (next < total) {
      const index = next++
      outcomes[index] = (await Promise.allSettled([run(index)]))[0]
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return outcomes
}

/** Codes of the rejections, counted; an error without a code by its message. */
function rejections(outcomes: readonly PromiseSettledResult<unknown>[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue
    const name = outcome.reason.code ?? outcome.reason.message
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

describe('a worker that fails instantly', () => {
  test.each([8, 32])('gets no more than 1.3 times its share of the tasks of %i callers', async (callers) => {
    const tasks = 2_000
    await open({ workers: 4 })
    const outcomes = await closedLoop(callers, tasks, () => pool.run('brokenOnSlot0', 4))
    const failed = rejections(outcomes)
    expect(Object.keys(failed)).toEqual(['no connection'])
    expect(failed['no connection']).toBeLessThanOrEqual((1.3 * tasks) / 4)
  })

  test('gets no more than 1.3 times its share of tasks that come at their own pace', async () => {
    const tasks = 1_000
    await open({ workers: 4 })
    const runs: Promise<PromiseSettledResult<unknown>[]>[] = []
    // 70 % of what four workers can do.
    for (let sent = 0; sent < tasks; sent += 7) {
      for (let at = 0; at < 7; at++) runs.push(Promise.allSettled([pool.run('brokenOnSlot0', 4)]))
      await sleep(10)
    }
    const { 'no connection': failed } = rejections((await Promise.all(runs)).flat())
    expect(failed).toBeLessThanOrEqual((1.3 * runs.length) / 4)
  })

  test('is left alone when every worker fails alike', async () => {
    await open({ workers: 2 })
    const outcomes = await closedLoop(64, 5_000, (value) => pool.run('honest', { value, isBad: value % 10 !== 0 }))
    const own = outcomes.filter(({ status }, index) => (status === 'fulfilled') === (index % 10 === 0))
    expect(own).toHaveLength(5_000)
    expect(pool.snapshot().workers.map(({ state }) => state)).not.toContain('ejected')
  })
})

test('a worker that ends every 200 ms costs one task each time, and the others go on', async () => {
  const counters = new SharedArrayBuffer(8)
  await open({ workers: 3, workerData: { counters } })
  const outcomes = await closedLoop(12, 1_500, () => pool.run('crashyOnSlot0', 4))
  const [, crashes] = new Int32Array(counters)
  expect(crashes).toBeGreaterThanOrEqual(2)
  expect(rejections(outcomes)).toEqual({ EVENKEEL_WORKER_EXIT: crashes })
})

test('a restarted worker that is slow at first gets little until it has proved itself', async () => {
  await open({ workers: 4 })
  // Warm, so that the name counts as short and windows are wide.
  await closedLoop(64, 4_000, () => pool.run('coldAtFirst', { exits: false }))
  let restarted = { slot: -1, completed: 0 }
  pool.once('restart', ({ slot }) => {
    restarted = pool.snapshot().workers[slot]
  })
  const held: number[] = []
  const outcomes = await closedLoop(64, 4_000, async (index) => {
    await pool.run('coldAtFirst', { exits: index === 0 })
    if (restarted.slot < 0) return
    const { completed, outstanding, state } = pool.snapshot().workers[restarted.slot]
    if (state === 'busy' && completed < restarted.completed + 3) held.push(outstanding)
  })
  expect(rejections(outcomes)).toEqual({ EVENKEEL_WORKER_EXIT: 1 })
  expect(held.length).toBeGreaterThan(0)
  // 1 until the first success, then twice as many with each: not the ten that the window would hold.
  expect(Math.max(...held)).toBeLessThanOrEqual(4)
})

describe('domino: ten workers that die when more than 40 tasks wait on them, two stalls', () => {
  // The first before any load: the stalled worker's last report then says that it is idle, and stays so.
  const STALL_TURNS = [0, 250]
  /**
   * The load lasts so many turns of this thread, 1.3 s on a quiet machine. Not so many milliseconds: where this thread gets
   * few turns in them, tasks go out in few bursts, each of which brings down one worker, and then the next tells its load.
   */
  const TURNS = 500
  /**
   * Of what ten workers can do with tasks of 4 ms: the others have little room for what falls on them. At 0.75 a
   * death was followed by others or not, as it came.
   */
  const TASKS_PER_MS = 0.92 * (10 / 4)

  /** Loads the workers until more workers than the stalled ones have died. How many did. */
  async function deathsUnderLoad(options: Omit<DispatcherOptions, 'module'>): Promise<number> {
    const counters = new SharedArrayBuffer(40)
    const waiting = new Int32Array(counters)
    await open({ ...options, workers: 10, workerData: { counters } })
    let deaths = 0
    pool.on('exit', ({ expected }) => {
      if (!expected) deaths++
    })
    const runs: Promise<unknown>[] = []
    const startMs = performance.now()
    for (let turn = 0; turn < TURNS && deaths <= STALL_TURNS.length; turn++) {
      const ms = STALL_TURNS.includes(turn) ? 240 : 4
      runs.push(Promise.allSettled([pool.run('frail', { ms })]))
      while (runs.length < (performance.now() - startMs) * TASKS_PER_MS)
        runs.push(Promise.allSettled([pool.run('frail', { ms: 4 })]))
      for (const { slot, outstanding } of pool.snapshot().workers) Atomics.store(waiting, slot, outstanding)
      await sleep(2)
    }
    await Promise.race([Promise.all(runs), sleep(1_000)])
    return deaths
  }

  test('with default settings no more than the stalled ones die', async () => {
    expect(await deathsUnderLoad({})).toBeLessThanOrEqual(STALL_TURNS.length)
  })

  test('pushed by reported load they bring down one another', async () => {
    expect(await deathsUnderLoad({ mode: 'push', strategy: 'least-loaded' })).toBeGreaterThan(STALL_TURNS.length)
  })
})
