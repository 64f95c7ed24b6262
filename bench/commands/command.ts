import type { GoalResult, ScenarioResult } from '../harness/report.js'
import type { Scenario } from '../harness/scenario.js'

/** A question that `npm run bench -- <name>` answers: what is measured and what evenkeel wants to reach. */
export interface BenchCommand {
  readonly name: string
  readonly summary: string
  scenarios(quick: boolean): Scenario[]
  goals(results: readonly ScenarioResult[]): GoalResult[]
}
