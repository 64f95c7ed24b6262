import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.js'
import { defaultParallelism } from '../../src/base/parallelism.js'
import type { TaskRunner } from '../../src/batch/flow/record-runner.js'
import { mapFile } from '../../src/batch/map-file.js'
import { parseHalt } from '../../src/batch/options/halt-rule.js'
import type { MapFileOptions } from '../../src/batch/options/map-options.js'
import { type ScratchFolder, scratchFolder } from './scratch-folder.js'

const settle = () => new Promise((done) => setImmediate(done))

function begin(folder: ScratchFolder, count: number, run: TaskRunner['run'], more: Partial<MapFileOptions> = {}) {
  const input = folder.write('in', Array.from({ length: count }, (_, i) => `${i}\n`).join(''))
  return mapFile({ run }, { task: 't', in: input, out: folder.path('out'), clock: systemClock, ...more })
}

describe('a batch run', () => {
  test('never has more under way than its limit, which follows the work', async () => {
    const folder = scratchFolder()
    let running = 0
    let most = 0
    const run = await begin(folder, 20_000, async (_name, value) => {
      most = Math.max(most, ++running)
      await settle()
      running--
      return value
    })
    expect((await run.done).ok).toBe(20_000)
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(Math.max(1024, 512 * defaultParallelism()))
    expect(folder.read('out').split('\n')).toHaveLength(20_001)
  })

  test('starts nothing more once a halt rule holds', async () => {
    const folder = scratchFolder()
    let calls = 0
    const run = await begin(
      folder,
      10_000,
      async () => {
        calls++
        await settle()
        throw new Error('no')
      },
      { halt: [parseHalt('soon,fail=5')!] },
    )
    const summary = await run.done
    expect(summary.stopped).toEqual({
      type: 'halt',
      message: expect.stringMatching(/^halted by soon,fail=5: ([0-9]+) of \1 records failed$/),
    })
    expect(summary.failed).toBe(calls)
    expect(calls).toBeLessThan(10_000)
  })

  test('names the records longest under way', async () => {
    const folder = scratchFolder()
    let release: (() => void) | undefined
    const run = await begin(folder, 3, (_name, value) =>
      value === 1
        ? new Promise((resolve) => {
            release = () => resolve(value)
          })
        : Promise.resolve(value),
    )
    while (run.progress().ok < 2) await settle()
    expect(run.slowest(5)).toEqual([{ input: folder.path('in'), line: 2, ageMs: expect.any(Number) }])
    expect(run.position.records).toBe(1)
    release?.()
    await run.done
    expect(run.position.records).toBe(3)
    expect(run.slowest(5)).toEqual([])
  })

  test('tells progress in bytes that are done with, not merely read', async () => {
    const folder = scratchFolder()
    const waiting: (() => void)[] = []
    const run = await begin(folder, 100, (_name, value) => new Promise((resolve) => waiting.push(() => resolve(value))))
    while (waiting.length === 0) await settle()
    expect(run.progress().readBytes).toBe(0)
    const total = run.progress().totalBytes!
    while (waiting.length > 0 || run.progress().ok < 100) {
      waiting.shift()?.()
      await settle()
      const { readBytes } = run.progress()
      expect(readBytes).toBeLessThanOrEqual(total + 1)
    }
    expect((await run.done).ok).toBe(100)
    expect(run.progress().readBytes).toBeCloseTo(total, 6)
  })

  test('is held by a shut gate and let go by a stop', async () => {
    const folder = scratchFolder()
    const gate = { name: 'shut', closedBecause: async () => 'never' }
    const run = await begin(folder, 5, async (_name, value) => value, { gates: [gate], perSecond: 1 })
    const stopped: unknown[] = []
    run.on('stop', (reason) => stopped.push(reason.type))
    setTimeout(() => run.stop('now'), 50)
    const summary = await run.done
    expect(summary.ok).toBeLessThan(5)
    expect(stopped).toEqual(['request'])
  })

  test('ends when its output fails, and says why', async () => {
    const folder = scratchFolder()
    const run = await begin(folder, 1000, async (_name, value) => value, { out: '/dev/full', keepOrder: false })
    const summary = await run.done
    expect(summary.stopped).toMatchObject({ type: 'output', error: { systemCode: 'ENOSPC' } })
  })

  test('hands over groups, the last one short', async () => {
    const folder = scratchFolder()
    const groups: unknown[] = []
    const run = await begin(
      folder,
      7,
      async (_name, values) => {
        groups.push(values)
        return values
      },
      { groupSize: 3 },
    )
    expect((await run.done).ok).toBe(7)
    expect(groups).toEqual([[0, 1, 2], [3, 4, 5], [6]])
  })
})
