import type { Parameters, SystemSpec } from './sample.js'

/** One question put to several systems under the same conditions. */
export interface Scenario {
  /** Unique within a command. */
  readonly name: string
  /** What is done, in one line, for the tables. */
  readonly title: string
  readonly probe: string
  readonly parameters: Parameters
  readonly systems: readonly SystemSpec[]
  /** All systems in one process and one loop; otherwise a process for each. */
  readonly together: boolean
  readonly repetitions: number
  /** A sample that takes longer is killed and counted as failed. */
  readonly timeoutMs: number
}
