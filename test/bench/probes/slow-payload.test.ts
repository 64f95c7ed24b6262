import { describe, expect, test } from 'vitest'
import { builtMeasure } from '../built.js'

describe('payloads that are slow to read', () => {
  test.each(['lengthOf', 'lengthOfLater'])('%s gives time and processor time of every system', async (task) => {
    const { measureScenarios } = await builtMeasure()
    const system = { contender: 'evenkeel', workers: 1 } as const
    const { results, samples } = await measureScenarios(
      [
        {
          name: 'short',
          title: 'short',
          probe: 'slow-payload',
          parameters: {
            shape: { kind: 'array of small objects', length: 100 },
            task,
            tasks: 5,
            inFlight: 2,
            blocks: 3,
            warmUpBlocks: 1,
          },
          systems: [
            { ...system, label: 'on', settings: {} },
            { ...system, label: 'off', settings: { takeBack: false } },
            { contender: 'piscina', workers: 1, label: 'piscina', settings: {} },
          ],
          together: true,
          repetitions: 1,
          timeoutMs: 20_000,
        },
      ],
      { command: 'test', quick: true, seed: 1, acceptNoise: true, progress: () => {} },
    )
    expect(samples.failed).toEqual([])
    expect(results[0]!.systems.map(({ label }) => label)).toEqual(['on', 'off', 'piscina'])
    for (const { measures } of results[0]!.systems) {
      expect(Object.keys(measures).sort()).toEqual(['cpuUsPerTask', 'usPerTask'])
      expect(measures.usPerTask!.median).toBeGreaterThan(0)
      expect(measures.cpuUsPerTask!.median).toBeGreaterThan(0)
    }
  })
})
