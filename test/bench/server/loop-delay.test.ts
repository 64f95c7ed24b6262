import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { delayQuantileMs, delayResolutionMs } from '../../../bench/server/loop-delay.js'

describe('delay of an event loop', () => {
  test('shows how long the loop was held, and is never negative', async () => {
    const delay = monitorEventLoopDelay({ resolution: delayResolutionMs })
    delay.enable()
    await pause(20)
    const endMs = performance.now() + 100
    while (performance.now() < endMs);
    await pause(20)
    delay.disable()
    expect(delayQuantileMs(delay, 1)).toBeGreaterThanOrEqual(90)
    expect(delayQuantileMs(delay, 0.001)).toBeGreaterThanOrEqual(0)
    expect(delayQuantileMs(delay, 0.1)).toBeLessThanOrEqual(delayQuantileMs(delay, 1))
  })
})
