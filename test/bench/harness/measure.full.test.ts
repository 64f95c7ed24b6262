import { describe, expect, test } from 'vitest'
import { readEnvironment } from '../../../bench/harness/environment.js'
import type { SystemSpec } from '../../../bench/harness/sample.js'
import type { Scenario } from '../../../bench/harness/scenario.js'
import { builtCalibration, builtMeasure } from '../built.js'

const raw: SystemSpec = { label: 'raw threads', contender: 'raw', workers: 1, settings: {} }
const floor: SystemSpec = { label: 'floor', contender: 'floor', workers: 1, settings: {} }

const cold: Scenario = {
  name: 'cold',
  title: 'first answer',
  probe: 'cold',
  parameters: {},
  systems: [raw, floor],
  together: false,
  repetitions: 2,
  timeoutMs: 20_000,
}

/** What a loaded test machine does to the figures is not the question here. */
const options = { command: 'test', quick: true, seed: 1, acceptNoise: true, progress: () => {} }

describe('measurement of scenarios', () => {
  test('gives each system a figure for every repetition, from processes of its own', async () => {
    const { measureScenarios } = await builtMeasure()
    const steps: string[] = []
    const report = await measureScenarios([cold], {
      ...options,
      progress: (done, planned) => steps.push(`${done}/${planned}`),
    })
    expect(steps).toEqual(['0/4', '1/4', '2/4', '3/4', '4/4'])
    expect(report.samples).toMatchObject({ valid: 4, failed: [] })
    for (const system of report.results[0]!.systems) {
      const figure = system.measures.firstAnswerMs!
      expect(figure.values, system.label).toHaveLength(2)
      expect(figure.values.every((value) => value !== null && value > 0)).toBe(true)
      expect(figure.median).toBeGreaterThan(0)
    }
  })

  test('a system whose package is missing is listed as not installed, and the others are measured', async () => {
    const { measureScenarios } = await builtMeasure()
    const real = readEnvironment()
    const environment = { ...real, packages: { ...real.packages, tinypool: null } }
    const tinypool: SystemSpec = { label: 'tinypool', contender: 'tinypool', workers: 1, settings: {} }
    const report = await measureScenarios([{ ...cold, systems: [tinypool, raw], repetitions: 1 }], {
      ...options,
      environment,
    })
    expect(report.notInstalled).toEqual(['tinypool'])
    expect(report.results[0]!.systems.map(({ label }) => label)).toEqual(['raw threads'])
    expect(report.samples).toMatchObject({ valid: 1, failed: [] })
  })

  test('a probe that fails and one that takes too long are faults of their system alone', async () => {
    const { measureScenarios } = await builtMeasure()
    const broken: Scenario = { ...cold, name: 'broken', probe: 'no-such-probe', systems: [raw], repetitions: 1 }
    const endless: Scenario = {
      ...cold,
      name: 'endless',
      probe: 'idle',
      parameters: { idleMs: 60_000, settleMs: 0 },
      systems: [raw],
      repetitions: 1,
      timeoutMs: 1_000,
    }
    const report = await measureScenarios([broken, endless, { ...cold, systems: [raw], repetitions: 1 }], options)
    expect(report.samples.valid).toBe(1)
    const reasons = Object.fromEntries(report.samples.failed.map((fault) => [fault.scenario, fault.reasons.join()]))
    expect(reasons.broken).toContain("no probe 'no-such-probe'")
    expect(reasons.endless).toContain('no answer within 1000 ms')
    // The stack is there, but not where this copy lies.
    expect(reasons.broken).toContain('dist/bench/')
    expect(reasons.broken).not.toContain(process.cwd())
  })
})

describe('calibration loop', () => {
  test('takes time on every thread, and more of it when others use the processors too', async () => {
    const { Calibration } = await builtCalibration()
    const alone = new Calibration(1)
    const crowd = new Calibration(16)
    try {
      const own = await alone.read()
      const shared = await crowd.read()
      expect(own.wallMs).toBeGreaterThan(0)
      expect(own.processorShare).toBeGreaterThan(0)
      expect(shared.processorShare).toBeLessThan(1)
    } finally {
      await alone.close()
      await crowd.close()
    }
  })
})
