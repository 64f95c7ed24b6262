/**
 * What a strategy may see: numbers by worker index, and nothing of threads or shared memory. The live dispatcher
 * and the simulator implement the same view, so both run the same strategy objects.
 */
export interface LoadView {
  /** Number of slots; indices run from 0 to size - 1. */
  readonly size: number
  /** Whether the worker may be picked now. */
  isCandidate(index: number): boolean
  /** Load 0..100 from what the dispatcher itself counts and ages: never stale. */
  load(index: number): number
  /** Tasks posted to the worker and not yet answered. */
  outstanding(index: number): number
  /** Load 0..100 as the worker wrote it at its last report. */
  reportedLoad(index: number): number
  /** Queue depth (tasks) as the worker wrote it at its last report. */
  reportedDepth(index: number): number
  /** Age of that report, ms. */
  reportAgeMs(index: number): number
  /** Grows whenever a reported load or a candidate may have changed; equal versions mean equal answers of the reported methods. */
  readonly version: number
}

/** What a strategy may know of the task it places. */
export interface SelectionTask {
  /** Equal keys belong on one worker. */
  readonly key?: string
}

/** A rule that chooses a worker. It may keep state, so one object serves one pool. */
export interface SelectionStrategy {
  readonly name: string
  /**
   * The index of the worker to use, or -1 for nobody: the task waits then, and the strategy is asked again. Never an index
   * for which `view.isCandidate` is false: the first candidate serves instead, and the fault is reported once, as that of
   * a strategy that throws. Synchronous; allocates nothing.
   */
  pick(view: LoadView, task: SelectionTask): number
  /** Told when workers were added, removed or replaced. */
  membershipChanged?(view: LoadView): void
}
