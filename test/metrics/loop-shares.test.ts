import { expect, test } from 'vitest'
import { LoopShares } from '../../src/metrics/loop-shares.js'
import { workerOf } from './observed.js'

const WINDOW_MS = 8_000
const loop = (loopActiveMs: number, loopIdleMs: number, threadId = 1) =>
  workerOf(0, { threadId, loopActiveMs, loopIdleMs })

test('the first reading is of the whole life, later ones of the window', () => {
  const shares = new LoopShares(WINDOW_MS)
  expect(shares.of(loop(1_000, 3_000), 10_000)).toBe(0.25)
  expect(shares.of(loop(5_000, 3_000), 14_000)).toBe(0.625)
  // The window begins with the second reading now.
  expect(shares.of(loop(6_000, 10_000), 22_000)).toBe(1 / 8)
})

test('any number of readers see the same', () => {
  const shares = new LoopShares(WINDOW_MS)
  shares.of(loop(0, 1), 0)
  for (let ms = 10; ms < 4_000; ms += 10) shares.of(loop(ms / 2, 1 + ms / 2), ms)
  const seen = [shares.of(loop(2_000, 2_000), 4_000), shares.of(loop(2_000, 2_000), 4_000)]
  expect(seen).toEqual([0.5, 0.5])
})

test('a new thread counts from its own beginning', () => {
  const shares = new LoopShares(WINDOW_MS)
  shares.of(loop(7_000, 1_000), 0)
  expect(shares.of(loop(10, 30, 2), 100)).toBe(0.25)
})

test('a worker without a thread, and readings that went back, count as idle', () => {
  const shares = new LoopShares(WINDOW_MS)
  expect(shares.of(loop(0, 0, -1), 0)).toBe(0)
  shares.of(loop(10, 0, 3), 0)
  shares.of(loop(10, 100, 3), 2_000)
  expect(shares.of(loop(9, 120, 3), 12_000)).toBe(0)
})
