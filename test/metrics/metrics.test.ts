import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { OptionRangeError, OptionTypeError } from '../../src/base/errors.js'
import { Dispatcher, type ExitReason } from '../../src/index.js'
import { metrics, PoolMetrics } from '../../src/metrics/metrics.js'
import { FakeClock } from '../support/fake-clock.js'
import { countsOf, FakeObservedPool, snapshotWith, taskOf } from './observed.js'

const module = new URL('../integration/tasks.mjs', import.meta.url)

/** Value of the sample that is written so. */
function sampleIn(text: string, sample: string): number {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${sample} `))
  return Number(line?.slice(sample.length + 1))
}

describe('metrics of a real pool', () => {
  test('count what it has done', async () => {
    const pool = new Dispatcher({ module, workers: 2 })
    const watched = metrics(pool, { name: 'real' })
    await Promise.all(Array.from({ length: 50 }, (_, value) => pool.run('noop', value)))
    await Promise.allSettled([pool.run('honest', { value: 1, isBad: true }), pool.run('noop', 1, { priority: 0.5 })])
    const text = watched.text()
    expect(sampleIn(text, 'evenkeel_tasks_completed_total{pool="real",task="noop",outcome="ok"}')).toBe(50)
    expect(sampleIn(text, 'evenkeel_tasks_completed_total{pool="real",task="honest",outcome="error"}')).toBe(1)
    expect(sampleIn(text, 'evenkeel_tasks_completed_total{pool="real",task="noop",outcome="rejected"}')).toBe(1)
    expect(sampleIn(text, 'evenkeel_tasks_submitted_total{pool="real",task="noop"}')).toBe(51)
    expect(sampleIn(text, 'evenkeel_tasks_submitted_total{pool="real",task="honest"}')).toBe(1)
    const startedBy = (slot: number) =>
      sampleIn(text, `evenkeel_dispatch_total{pool="real",worker="${slot}",strategy="range-table"}`)
    expect(startedBy(0) + startedBy(1)).toBe(51)
    watched.close()
    await pool.close()
  })

  test('tell the times of tasks, in histograms and as percentiles of the window', async () => {
    const pool = new Dispatcher({ module, workers: 1 })
    await pool.run('parkFor', 300)
    const watched = metrics(pool, { name: 'real' })
    await Promise.all(Array.from({ length: 20 }, () => pool.run('parkFor', 2)))
    const text = watched.text()
    expect(sampleIn(text, 'evenkeel_task_run_seconds_count{pool="real",task="parkFor"}')).toBe(21)
    expect(sampleIn(text, 'evenkeel_task_run_seconds_sum{pool="real",task="parkFor"}')).toBeGreaterThan(0.3)
    // The slow task came before the window.
    expect(watched.recent().runMs.p50).toBeGreaterThanOrEqual(1.5)
    expect(watched.recent().runMs.p99).toBeLessThan(300)
    expect(watched.recent().waitMs.p99).toBeGreaterThanOrEqual(watched.recent().waitMs.p50)
    watched.close()
    await pool.close()
  })

  test('show a stall while it lasts, although no worker answers', async () => {
    const pool = new Dispatcher({ module, workers: 1, stallUnknownMs: 250 })
    const watched = metrics(pool)
    await pool.ready()
    const stalled = new Promise((resolve) => pool.once('stall', resolve))
    const run = pool.run('parkFor', 2_000)
    await stalled
    const text = watched.text()
    expect(sampleIn(text, 'evenkeel_workers{pool="evenkeel",state="stalled"}')).toBe(1)
    expect(sampleIn(text, 'evenkeel_worker_stalls_total{pool="evenkeel",worker="0"}')).toBe(1)
    const lag = sampleIn(text, 'evenkeel_worker_eventloop_lag_seconds{pool="evenkeel",worker="0",stat="last"}')
    expect(lag).toBeGreaterThan(0.2)
    await run
    watched.close()
    await pool.close()
  })

  test('tell why threads ended', async () => {
    const pool = new Dispatcher({ module, workers: { min: 1, max: 2 }, idleMs: 20, graceMs: 20 })
    const watched = metrics(pool, { name: 'real' })
    const ended = (reason: string) =>
      sampleIn(watched.text(), `evenkeel_worker_exits_total{pool="real",reason="${reason}"}`)
    // Workers beyond the first come and go as they are idle, so only the exit that is meant is waited for.
    const endFor = (reason: ExitReason) =>
      new Promise<void>((resolve) => pool.on('exit', (event) => event.reason === reason && resolve()))
    const [idle, killed, replaced] = [endFor('idle'), endFor('timeout'), endFor('recycle')]

    await pool.warmUp()
    await idle
    await expect(pool.run('spinFor', 60_000, { runTimeoutMs: 20 })).rejects.toMatchObject({ code: 'EVENKEEL_TIMEOUT' })
    await killed
    await pool.ready()
    pool.recycle()
    await replaced
    expect([ended('idle') > 0, ended('timeout'), ended('recycle') > 0]).toEqual([true, 1, true])
    await pool.close()
    expect(ended('shutdown')).toBeGreaterThan(0)
    expect(sampleIn(watched.text(), 'evenkeel_worker_starts_total{pool="real"}')).toBeGreaterThanOrEqual(4)
    expect(ended('crash')).toBe(0)
    watched.close()
  })

  test('go into a registry of prom-client until they are closed', async () => {
    const pool = new Dispatcher({ module, workers: 1 })
    const registry = new Registry()
    const watched = metrics(pool, { name: 'mine', registry })
    await pool.run('noop', 1)
    expect(await registry.metrics()).toContain('evenkeel_tasks_completed_total{pool="mine",task="noop",outcome="ok"} 1')
    watched.close()
    expect(registry.getMetricsAsArray()).toEqual([])
    await pool.close()
  })
})

describe('metrics of a pool', () => {
  test('are percentiles of the window, however often they are scraped', () => {
    const clock = new FakeClock()
    const pool = new FakeObservedPool()
    const watched = new PoolMetrics(pool, 'p', 8_000, undefined, clock)
    pool.counted = { wait: countsOf([0, 0, 50]), run: countsOf([50, 0, 0]), start: countsOf([0, 0, 0]) }
    const first = watched.text()
    const p99 = 'evenkeel_task_wait_recent_seconds{pool="p",quantile="0.99"}'
    expect(sampleIn(first, p99)).toBeCloseTo(0.1)
    expect(sampleIn(watched.text(), p99)).toBeCloseTo(0.1)
    expect(watched.recent().waitMs.p99).toBeCloseTo(100)
    clock.advance(20_000)
    expect(sampleIn(watched.text(), p99)).toBe(0)
    pool.tasks = [taskOf('a', 50)]
    expect(sampleIn(watched.text(), 'evenkeel_task_wait_seconds_count{pool="p",task="a"}')).toBe(50)
    watched.close()
  })

  test('come as OpenMetrics for who asks for it', () => {
    const watched = metrics(new FakeObservedPool())
    const { contentType, text } = watched.page('application/openmetrics-text; version=1.0.0')
    expect(contentType).toContain('openmetrics')
    expect(text.endsWith('# EOF\n')).toBe(true)
    expect(watched.page()).toMatchObject({ contentType: 'text/plain; version=0.0.4; charset=utf-8' })
    watched.close()
  })

  test('leave no listener and no timer behind, and hold no process meanwhile', () => {
    const clock = new FakeClock()
    const pool = new FakeObservedPool()
    const watched = new PoolMetrics(pool, 'p', 8_000, undefined, clock)
    expect(clock.holding).toBe(0)
    watched.close()
    expect({ timers: clock.timers, listening: pool.listening }).toEqual({ timers: 0, listening: 0 })
  })

  test('look at the pool only when asked', () => {
    const clock = new FakeClock()
    const pool = new FakeObservedPool()
    const watched = new PoolMetrics(pool, 'p', 8_000, undefined, clock)
    clock.advance(60_000)
    expect(pool.snapshots).toBe(0)
    pool.current = snapshotWith({ running: 3 })
    expect(watched.text()).toContain('evenkeel_tasks_running{pool="p"} 3')
    expect(pool.snapshots).toBe(1)
    watched.close()
  })

  test.each([
    [{ nmae: 'x' }, OptionTypeError],
    [{ name: 5 }, OptionTypeError],
    [{ windowMs: Number.NaN }, OptionRangeError],
    [{ windowMs: 1 }, OptionRangeError],
    [{ registry: {} }, OptionTypeError],
    [{ registry: null }, OptionTypeError],
  ])('refuse %o and leave nothing behind', (options, kind) => {
    const pool = new FakeObservedPool()
    expect(() => metrics(pool, options as never)).toThrow(kind)
    expect(pool.listening).toBe(0)
  })
})
