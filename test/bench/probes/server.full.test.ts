import { describe, expect, test } from 'vitest'
import type { SystemSpec } from '../../../bench/harness/sample.js'
import type { Scenario } from '../../../bench/harness/scenario.js'
import type { ServerParameters } from '../../../bench/probes/server.js'
import { builtMeasure } from '../built.js'

const parameters: ServerParameters = {
  connections: 8,
  perConnectionPerSecond: 15,
  cpu: { kind: 'parked', ms: 2 },
  io: { kind: 'timer', ms: 10 },
  stallMs: 400,
  stall: true,
  warmUpMs: 1_100,
  measuredMs: 1_000,
}

const systems: SystemSpec[] = [
  { label: 'evenkeel', contender: 'evenkeel', workers: 2, settings: {} },
  {
    label: 'piscina',
    contender: 'piscina',
    workers: 2,
    settings: { atomics: 'disabled', concurrentTasksPerWorker: 8 },
  },
]

const scenario: Scenario = {
  name: 'short',
  title: 'short',
  probe: 'server',
  parameters: { ...parameters },
  systems,
  together: false,
  repetitions: 1,
  timeoutMs: 25_000,
}

describe('HTTP server comparison', () => {
  test('every request is answered by every system, while one worker stalls', async () => {
    const { measureScenarios } = await builtMeasure()
    const { results, samples } = await measureScenarios([scenario], {
      command: 'test',
      quick: true,
      seed: 1,
      acceptNoise: true,
      progress: () => {},
    })
    expect(samples.failed).toEqual([])
    const measured = results[0]!.systems
    expect(measured.map(({ label }) => label)).toEqual(['evenkeel', 'piscina'])
    for (const { label, measures } of measured) {
      const median = (measure: string): number => measures[measure]!.median
      expect(median('failedRequests'), label).toBe(0)
      expect(median('requests'), label).toBeGreaterThan(0)
      // As many as the connections may send in the seconds that the measured time touches.
      expect(median('requests'), label).toBeLessThanOrEqual(8 * 15 * 2)
      expect(median('stalledMs'), label).toBeGreaterThanOrEqual(390)
      expect(median('p50Ms'), label).toBeLessThanOrEqual(median('p99Ms'))
      expect(median('loopDelayP50Ms'), label).toBeLessThanOrEqual(median('loopDelayP99Ms'))
    }
  }, 60_000)
})
