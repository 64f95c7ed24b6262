import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { MAX_TIMER_MS, systemClock } from '../../src/base/clock.js'

const built = new URL('../../dist/src/base/clock.js', import.meta.url)

describe('systemClock', () => {
  test('never runs backwards', () => {
    let last = systemClock.nowMs()
    for (let i = 0; i < 1000; i++) {
      const now = systemClock.nowMs()
      expect(now).toBeGreaterThanOrEqual(last)
      last = now
    }
  })

  test('is one clock for all threads: a time read elsewhere lies between two read here', async () => {
    const script = `
      const { parentPort } = require('node:worker_threads')
      import(${JSON.stringify(built.href)}).then(({ systemClock }) => parentPort.once('message', () => {
        parentPort.postMessage(systemClock.nowMs())
      })).then(() => parentPort.postMessage('up'))`
    const worker = new Worker(script, { eval: true })
    const next = () => new Promise<number>((resolve) => worker.once('message', resolve))
    await next()
    const before = systemClock.nowMs()
    worker.postMessage('read')
    const there = await next()
    const after = systemClock.nowMs()
    await worker.terminate()
    // Each thread takes its offset between two clock reads, which are microseconds apart unless it is preempted there.
    const slackMs = 50
    expect(there).toBeGreaterThan(before - slackMs)
    expect(there).toBeLessThan(after + slackMs)
  })

  test('calls back once after a delay, and not at all when stopped', async () => {
    const calls: string[] = []
    systemClock.after(5, () => calls.push('stopped')).stop()
    const start = systemClock.nowMs()
    await new Promise<void>((resolve) => {
      systemClock.after(1, () => calls.push('first'))
      systemClock.after(20, resolve)
    })
    expect(calls).toEqual(['first'])
    // Node counts timers from the loop's own time, which may lag by up to a millisecond.
    expect(systemClock.nowMs() - start).toBeGreaterThan(18)
  })

  test('calls back every period until stopped', async () => {
    let calls = 0
    await new Promise<void>((resolve) => {
      const timer = systemClock.every(1, () => {
        calls++
        if (calls < 3) return
        timer.stop()
        systemClock.after(20, resolve)
      })
    })
    expect(calls).toBe(3)
  })

  test('takes a delay beyond the longest timer for the longest, where Node would fire at once', async () => {
    let fired = false
    const timer = systemClock.after(MAX_TIMER_MS + 1, () => {
      fired = true
    })
    timer.unref()
    await new Promise<void>((resolve) => systemClock.after(20, resolve))
    timer.stop()
    expect(fired).toBe(false)
  })

  test('never calls back after an endless delay', async () => {
    let fired = false
    const timer = systemClock.after(Number.POSITIVE_INFINITY, () => {
      fired = true
    })
    await new Promise<void>((resolve) => systemClock.after(20, resolve))
    timer.stop()
    expect(fired).toBe(false)
  })

  test('knows the processor time of the process', () => {
    const beforeMs = systemClock.processorMs()
    const beganMs = systemClock.nowMs()
    while (systemClock.processorMs() - beforeMs < 5 && systemClock.nowMs() - beganMs < 5_000);
    expect(systemClock.processorMs() - beforeMs).toBeGreaterThanOrEqual(5)
  })

  test('gives timers that let the process end', () => {
    const timer = systemClock.every(1000, () => {})
    expect(() => timer.unref()).not.toThrow()
    timer.stop()
  })
})
