import { expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.js'
import { LoopLag } from '../../src/metrics/loop-lag.js'

const BLOCK_MS = 200

const wait = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve))

test('a block of the loop is seen in the span it falls into and the next, then forgotten', async () => {
  const lag = new LoopLag()
  // Node looks every 20 ms: before the block, and after it.
  await wait(100)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCK_MS)
  await wait(100)
  expect(lag.figures().max).toBeGreaterThan(BLOCK_MS / 2)
  expect(lag.figures().mean).toBeLessThan(lag.figures().max)
  const seen = lag.figures().max
  lag.nextSpan()
  expect(lag.figures().max).toBe(seen)
  lag.nextSpan()
  lag.nextSpan()
  expect(lag.figures().max).toBeLessThan(seen)
  lag.close()
})
