import type { SimulatedPool } from './simulated-pool.js'

/**
 * Decides which worker gets which task. Tasks without a worker are in the simulation's waiting line, oldest first;
 * a dispatch moves them out with `post` and may call `takeBack` for one that no worker has claimed.
 */
export interface Dispatch {
  /** Period of `tick`; 0: never called. */
  readonly tickMs: number
  /** Tasks were appended to the waiting line, or put back in their place in it. */
  waitingGrew(): void
  /** The worker's answer arrived and its outstanding count was lowered. */
  answered(worker: number, task: number, failed: boolean): void
  /** A task was revoked from the worker and is back in the waiting line; its outstanding count was lowered. */
  tookBack(worker: number): void
  /** The worker said that it is awake and has skipped every message revoked from it. */
  skipped(worker: number): void
  /** The worker died, or its replacement came up. */
  membershipChanged(worker: number): void
  /** The time given to `wakeAt` has come. */
  woken(worker: number): void
  /** Reports were written. */
  reported(): void
  tick(): void
}

export type DispatchFactory = (simulation: SimulatedPool) => Dispatch
