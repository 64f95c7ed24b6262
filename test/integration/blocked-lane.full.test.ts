import { describe, expect, test } from 'vitest'
import { Dispatcher } from '../../src/index.js'

const module = new URL('./tasks.mjs', import.meta.url)
const WARM_UP = 10_000
const NO_OPS = 200
const BLOCK_MS = 3_000
/** 250 ms, with the slack of a shared machine; the block lasts three times longer still. */
const LATE_MS = 1_000
/** Answers of one message, less the one that sends it: what a name that turns long may hold back. */
const HELD_BACK = 63

/** Latencies of the no-ops, ms, and how many of them settled before the block did. */
async function burstAroundBlock(noop: () => [string, unknown], block: [string, unknown]) {
  const pool = new Dispatcher({ module, workers: 2 })
  await pool.ready()
  for (let done = 0; done < WARM_UP; done += 500) {
    await Promise.all(Array.from({ length: 500 }, () => pool.run(...noop())))
  }
  const latencies: number[] = []
  let blockEnded = false
  let afterBlock = 0
  const runNoOp = async () => {
    const startMs = performance.now()
    await pool.run(...noop())
    latencies.push(performance.now() - startMs)
    if (blockEnded) afterBlock++
  }
  const before = Array.from({ length: NO_OPS }, runNoOp)
  const blocked = pool.run(...block).then(() => {
    blockEnded = true
  })
  const after = Array.from({ length: NO_OPS }, runNoOp)
  await Promise.all([...before, blocked, ...after])
  await pool.close()
  return { settled: latencies.length, late: latencies.filter((ms) => ms > LATE_MS).length, afterBlock }
}

describe('a burst with a block in it, on warm lanes', () => {
  test.each([
    ['a busy loop', 'spinFor'],
    ['Atomics.wait', 'parkFor'],
  ])('%s delays no other task', async (_title, name) => {
    const outcome = await burstAroundBlock(() => ['noop', 1], [name, BLOCK_MS])
    expect(outcome).toEqual({ settled: 2 * NO_OPS, late: 0, afterBlock: 0 })
  })

  test.each([
    ['a busy loop', { spinMs: BLOCK_MS }],
    ['Atomics.wait', { parkMs: BLOCK_MS }],
  ])('%s under a name with a short history holds back no more than one message of answers', async (_title, block) => {
    const outcome = await burstAroundBlock(() => ['moody', { value: 1 }], ['moody', { value: 2, ...block }])
    expect(outcome.settled).toBe(2 * NO_OPS)
    expect(outcome.late).toBeLessThanOrEqual(HELD_BACK)
    expect(outcome.afterBlock).toBeLessThanOrEqual(HELD_BACK)
  })
})
