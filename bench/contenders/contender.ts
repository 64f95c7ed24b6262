import type { TaskName } from '../tasks.js'

/** What the harness may do with any pool, whoever wrote it. */
export interface Contender {
  /** Settles with the task's result. `transfer` names the parts of the payload that move instead of being copied. */
  run(task: TaskName, payload: unknown, transfer?: readonly ArrayBuffer[]): Promise<unknown>
  /** Ends every thread; running tasks may be lost. */
  close(): Promise<void>
}

/** Settings as they travel to the measuring process and into the report: JSON. */
export type Settings = Readonly<Record<string, unknown>>

/** Starts the pool; synchronous, so that a cold start can be timed from the constructor on. */
export type CreateContender = (workers: number, settings: Settings) => Contender

export interface ContenderEntry {
  /** The package to look for; a contender without one is always there. */
  readonly packageName?: string
  /** Imports the package, which no measurement counts. */
  load(): Promise<CreateContender>
}
