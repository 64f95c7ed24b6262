/**
 * What a strategy sees: numbers by worker index, no threads and no shared memory. The live dispatcher and the simulator
 * implement the same view, so both run the same strategy objects.
 */
export interface LoadView {
  /** Number of slots; indices run from 0 to size - 1. */
  readonly size: number
  /** Whether the worker may be picked now. */
  isCandidate(index: number): boolean
  /** Load 0..100 from the dispatcher's own counts: never stale. */
  load(index: number): number
  /** Tasks posted to the worker and not yet answered. */
  outstanding(index: number): number
  /** Load 0..100 of the worker's last report. */
  reportedLoad(index: number): number
  /** Queue depth (tasks) of the worker's last report. */
  reportedDepth(index: number): number
  /** Age of the worker's last report, ms. */
  reportAgeMs(index: number): number
  /**
   * Grows whenever a report or a candidate may have changed. With equal versions the `reported…` methods answer alike.
   */
  readonly version: number
}

/** What a strategy knows of the task that it places. */
export interface SelectionTask {
  /** Tasks with equal keys belong on one worker. */
  readonly key?: string
}

/** A rule that chooses a worker. It may keep state, so one object serves one pool. */
export interface SelectionStrategy {
  readonly name: string
  /**
   * The index of the worker to use, or -1 for none: then the task waits, and the strategy is asked again. Must not
   * return an index for which `view.isCandidate` is false: then the first candidate is used, and the fault is reported
   * once, as if the strategy threw. Synchronous. Should allocate nothing.
   */
  pick(view: LoadView, task: SelectionTask): number
  /** Called when workers were added, removed or replaced. */
  membershipChanged?(view: LoadView): void
}
