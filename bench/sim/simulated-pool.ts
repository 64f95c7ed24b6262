import type { RandomSource } from '../../src/base/random.js'
import type { Fleet } from './fleet.js'
import type { Scenario } from './scenario.js'
import type { TaskList, TaskTable } from './task-table.js'

/** What a dispatch and a load rule see of the simulation they are part of, and what a dispatch may do. */
export interface SimulatedPool {
  readonly scenario: Scenario
  readonly nowMs: number
  readonly tasks: TaskTable
  readonly fleet: Fleet
  /** Tasks without a worker, oldest first. */
  readonly waiting: TaskList
  /** For the dispatch's own draws. */
  readonly random: RandomSource
  /** Sends a task of the waiting line to a worker. */
  post(task: number, worker: number): void
  /** Tries to revoke an unclaimed task; it is back in the waiting line after the delay unless it was claimed. */
  takeBack(task: number): void
  /** Has the dispatch's `woken` called then; one pending call per worker, the last one asked for. */
  wakeAt(worker: number, atMs: number): void
}
