/** Properties that hold for every dispatch, and the single rules of the windowed one. */

import { describe, expect, test } from 'vitest'
import { type WindowRules, windowedDispatch } from '../../../bench/sim/dispatch-windowed.js'
import { modelLoad } from '../../../bench/sim/load-rule.js'
import { runScenario } from '../../../bench/sim/run-scenario.js'
import type { Delays, Scenario } from '../../../bench/sim/scenario.js'
import { scenarios } from '../../../bench/sim/scenarios.js'
import { Simulation } from '../../../bench/sim/simulation.js'
import { CROSSING, strategyOf, systems } from '../../../bench/sim/systems.js'
import { DONE } from '../../../bench/sim/task-table.js'
import { pool } from './play.js'

const hostile: Scenario = pool({
  utilisation: 0.8,
  speeds: [1.5, 0.5],
  arrivals: { kind: 'bursty', onMs: 20, offMs: 10 },
  service: { kind: 'pareto', meanMs: 1, alpha: 1.5 },
  reports: { periodMs: 3, synchronous: false },
  stall: { everyMs: 90, durationMs: 30 },
  crash: { everyMs: 70, downMs: 20, coldFactor: 3, coldMs: 20 },
})

describe.each(systems.map((system) => [system.name, system] as const))('%s', (_name, { dispatch, delays }) => {
  test('under stalls, crashes and bursts answers every task once and leaves nothing behind', () => {
    const taskCount = 20_000
    const simulation = new Simulation({ scenario: hostile, delays, taskCount, seed: 3, dispatch })
    simulation.run()
    const { tasks, fleet, waiting, measures } = simulation
    expect(measures.crashes).toBeGreaterThan(10)
    expect(measures.unsettled).toBe(0)
    expect(tasks.state.every((state) => state === DONE)).toBe(true)
    expect(waiting.length).toBe(0)
    for (let worker = 0; worker < fleet.size; worker++) {
      expect(fleet.outstanding[worker]).toBe(0)
      expect(fleet.inbox[worker]!.length).toBe(0)
    }
    // No answer is quicker than the two crossings.
    expect(tasks.responseMs.every((ms) => ms > delays.dispatchMs + delays.answerMs)).toBe(true)
  })

  test('gives the same figures for the same seed and others for another', () => {
    const figures = (seed: number) => runScenario({ scenario: hostile, dispatch, delays, taskCount: 5_000, seed })
    expect(figures(5)).toEqual(figures(5))
    expect(figures(5).response).not.toEqual(figures(6).response)
  })

  test('sees the same tasks, arrivals and faults as every other system', () => {
    const scenario = scenarios.find(({ name }) => name === 'stall')!
    const inputs = (which: typeof dispatch, late: Delays) => {
      const simulation = new Simulation({ scenario, delays: late, taskCount: 3_000, seed: 7, dispatch: which })
      simulation.run()
      return [simulation.tasks.submitMs, simulation.tasks.workMs]
    }
    expect(inputs(dispatch, delays)).toEqual(inputs(systems[0]!.dispatch, systems[0]!.delays))
  })
})

describe('the windowed dispatch', () => {
  const run = (rules: Partial<WindowRules>, scenario = pool(), taskCount = 60_000) =>
    runScenario({
      scenario,
      dispatch: windowedDispatch({ strategy: strategyOf('range-table'), load: modelLoad(2), rules }),
      delays: CROSSING,
      taskCount,
      seed: 1,
    })

  test('take-back moves work from busy to idle workers and shortens mean and tail', () => {
    const without = run({ takeBack: false })
    const withIt = run({})
    expect(without.measures.takenBack).toBe(0)
    expect(withIt.measures.takenBack).toBeGreaterThan(1_000)
    expect(withIt.response.mean / without.response.mean).toBeLessThan(0.95)
    expect(withIt.response.p99 / without.response.p99).toBeLessThan(0.98)
  })

  test('a worker three times slower than its peers gets its share by speed, not an equal one', () => {
    const { dispatched } = run({}, pool({ utilisation: 0.9, speeds: [1.5, 0.5] }))
    const fast = dispatched.filter((_, worker) => worker % 2 === 0).reduce((sum, count) => sum + count, 0)
    const slow = dispatched.filter((_, worker) => worker % 2 === 1).reduce((sum, count) => sum + count, 0)
    expect(fast / slow).toBeGreaterThan(1.9)
  })

  test('a task that runs for 10 µs leaves in chunks, so most workers hold many', () => {
    const short = pool({ utilisation: 0.8, service: { kind: 'exponential', meanMs: 0.01 } })
    const chunked = run({}, short)
    const single = run({ chunkMs: 0, window: 1 }, short)
    // One task at a time spends four fifths of the time on crossings and cannot keep up with this load.
    expect(chunked.simulatedMs / single.simulatedMs).toBeLessThan(0.5)
  })

  test('a restarted worker gets one task until it has answered one', () => {
    const scenario = pool({ crash: { everyMs: 50, downMs: 10, coldFactor: 20, coldMs: 40 } })
    const { measures, response } = run({ takeBack: false }, scenario, 20_000)
    expect(measures.crashes).toBeGreaterThan(20)
    expect(response.count).toBe(19_000)
  })
})

describe('ten thousand workers', () => {
  test('run, under the default dispatcher, with the response of an empty pool', () => {
    const { response, measures } = runScenario({
      scenario: pool({ workers: 10_000, utilisation: 0.8 }),
      dispatch: systems.find(({ name }) => name === 'evenkeel')!.dispatch,
      delays: CROSSING,
      taskCount: 40_000,
      seed: 1,
    })
    expect(measures.unsettled).toBe(0)
    expect(response.mean).toBeGreaterThan(0.98)
    expect(response.mean).toBeLessThan(1.1)
  })
})
