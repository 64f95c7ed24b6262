import { describe, expect, test } from 'vitest'
import type { ScenarioResult } from '../../../bench/harness/report.js'
import type { SystemSpec } from '../../../bench/harness/sample.js'
import { arrivalsOf } from '../../../bench/scenarios/arrivals.js'
import type { LiveScenario } from '../../../bench/scenarios/live-scenario.js'
import { seededRandom } from '../../../src/base/random.js'
import { builtMeasure } from '../built.js'

const base: LiveScenario = {
  name: 'short',
  title: 'short',
  workers: 4,
  load: 0.3,
  arrivals: { kind: 'constant' },
  mix: [{ share: 1, work: 'parked', runTimes: { kind: 'fixed', ms: 5 } }],
  warm: true,
  warmUpMs: 0,
  measuredMs: 800,
}

const push: SystemSpec = {
  label: 'push',
  contender: 'evenkeel',
  workers: 4,
  settings: { mode: 'push', strategy: 'round-robin' },
}

/** How many tasks the seed of the measurement makes of the scenario. */
const planned = arrivalsOf(base, seededRandom(1)).length

async function measure(scenario: LiveScenario, system: SystemSpec): Promise<ScenarioResult> {
  const { measureScenarios } = await builtMeasure()
  const { results, samples } = await measureScenarios(
    [
      {
        name: scenario.name,
        title: scenario.title,
        probe: 'live',
        parameters: { ...scenario },
        systems: [system],
        together: false,
        repetitions: 1,
        timeoutMs: 25_000,
      },
    ],
    { command: 'test', quick: true, seed: 1, acceptNoise: true, progress: () => {} },
  )
  expect(samples.failed).toEqual([])
  return results[0]!
}

const medians = ({ systems }: ScenarioResult): Record<string, number> =>
  Object.fromEntries(Object.entries(systems[0]!.measures).map(([name, figure]) => [name, figure.median]))

describe('live scenario', () => {
  test('shows the pile-on of a rule that does not look at a blocked worker', async () => {
    const blocked: LiveScenario = { ...base, fault: { kind: 'block', work: 'parked', atMs: 100, ms: 500 } }
    const result = await measure(blocked, push)
    const { tasks, lostTasks, doubledTasks, pileOn, maxMs } = medians(result)
    expect({ tasks, lostTasks, doubledTasks }).toEqual({ tasks: planned, lostTasks: 0, doubledTasks: 0 })
    // Every fourth task.
    expect(pileOn).toBeGreaterThan(0.15)
    expect(pileOn).toBeLessThan(0.35)
    // The first task behind the block waits for nearly all of it.
    expect(maxMs).toBeGreaterThan(300)
    const [own, ...others] = Object.entries(result.systems[0]!.series!).filter(([name]) => name.startsWith('worker'))
    expect(others).toHaveLength(3)
    expect(own![1].includes(0)).toBe(true)
  })

  test('a worker that is slow of itself takes longer for the same tasks', async () => {
    const slow: LiveScenario = { ...base, load: 0.2, fault: { kind: 'slow', factor: 8, workers: 4 } }
    const { fairness, maxMs } = medians(await measure(slow, push))
    const { fairness: evenFairness } = medians(await measure({ ...base, load: 0.2 }, push))
    // 40 instead of 5 ms each.
    expect(maxMs).toBeGreaterThanOrEqual(40)
    expect(fairness).toBeLessThan(evenFairness!)
  })

  test('a crash loses no task but the one that caused it, under the default settings', async () => {
    const crash: LiveScenario = { ...base, fault: { kind: 'crash', atMs: 200 } }
    const { tasks, lostTasks, doubledTasks } = medians(
      await measure(crash, { label: 'evenkeel', contender: 'evenkeel', workers: 4, settings: {} }),
    )
    expect(tasks).toBe(planned)
    // A task that ran when its worker ended is lost with it; one CPU task runs at a time.
    expect(lostTasks).toBeLessThanOrEqual(1)
    expect(doubledTasks).toBe(0)
  })
})
