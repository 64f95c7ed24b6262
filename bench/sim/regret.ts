import { median } from '../stats/quantiles.js'
import { pileOnIndex } from '../stats/spread.js'
import { runScenario } from './run-scenario.js'
import type { Scenario } from './scenario.js'
import { IDEAL, type System } from './systems.js'

/** One system in one scenario, over all seeds. Times in milliseconds. */
export interface ScenarioFigures {
  readonly scenario: string
  readonly system: string
  /** Median over the seeds of p99 / the ideal's p99 with the same seed; Infinity for a collapse. */
  readonly ratio: number
  /** Per seed, in the order of the seeds. */
  readonly ratios: readonly number[]
  readonly p99: readonly number[]
  readonly mean: readonly number[]
  readonly takenBack: number
  readonly crashes: number
  /** Share of the tasks posted while a worker was frozen that went to the frozen one; null without stalls. */
  readonly pileOn: number | null
}

/** How badly a system can fare: its worst scenario. */
export interface Regret {
  readonly system: string
  /** Worst ratio to the ideal; Infinity where the pool collapsed. */
  readonly worst: number
  readonly scenario: string
}

export interface RegretPlan {
  readonly scenarios: readonly Scenario[]
  /** Must hold the ideal, by which all others are measured. */
  readonly systems: readonly System[]
  readonly seeds: readonly number[]
  readonly taskCount: number
  /** Told after each run. */
  readonly progress?: (done: number, planned: number, current: string) => void
}

/**
 * Plays every system in every scenario with every seed. Equal seeds bring equal tasks, times and faults to all
 * systems, so ratios are paired. Gives the thread back between runs.
 */
export async function measureRegret(plan: RegretPlan): Promise<{ figures: ScenarioFigures[]; regret: Regret[] }> {
  const { scenarios, seeds, taskCount } = plan
  const ideal = plan.systems.find(({ name }) => name === IDEAL)
  if (ideal === undefined) throw new RangeError(`the systems must hold "${IDEAL}"`)
  const ordered = [ideal, ...plan.systems.filter((system) => system !== ideal)]
  const planned = scenarios.length * ordered.length * seeds.length
  let done = 0
  const figures: ScenarioFigures[] = []
  for (const scenario of scenarios) {
    let idealP99: readonly number[] = []
    for (const system of ordered) {
      const p99: number[] = []
      const mean: number[] = []
      let takenBack = 0
      let crashes = 0
      let sentToStalled = 0
      let sentDuringStalls = 0
      for (const seed of seeds) {
        const { dispatch, delays } = system
        const { response, measures } = runScenario({ scenario, dispatch, delays, taskCount, seed })
        p99.push(response.p99)
        mean.push(response.mean)
        takenBack += measures.takenBack
        crashes += measures.crashes
        sentToStalled += measures.sentToStalled
        sentDuringStalls += measures.sentDuringStalls
        plan.progress?.(++done, planned, `${scenario.name}: ${system.name}`)
        await new Promise((resolve) => setImmediate(resolve))
      }
      if (system === ideal) idealP99 = p99
      const ratios = p99.map((value, i) => value / idealP99[i]!)
      const ratio = median(ratios)
      const pileOn = sentDuringStalls === 0 ? null : pileOnIndex(sentToStalled, sentDuringStalls)
      const names = { scenario: scenario.name, system: system.name }
      figures.push({ ...names, ratio, ratios, p99, mean, takenBack, crashes, pileOn })
    }
  }
  return { figures, regret: ordered.map(({ name }) => worstOf(name, figures)) }
}

function worstOf(system: string, figures: readonly ScenarioFigures[]): Regret {
  const own = figures.filter((each) => each.system === system)
  const worst = own.reduce((most, each) => (each.ratio > most.ratio ? each : most))
  return { system, worst: worst.ratio, scenario: worst.scenario }
}
