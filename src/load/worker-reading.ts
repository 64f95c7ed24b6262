/**
 * All figures that the load of one worker is computed from. The live board and the simulator both fill it, so both run
 * the same load model. It is a scratch object: filled anew for every evaluation, never kept.
 */
export interface WorkerReading {
  /** CPU tasks posted to the worker and not yet answered. */
  cpuOutstanding: number
  /** CPU tasks that the window allows, at the mean expected run time of the lane's tasks. Counts as at least 2. */
  cpuRoom: number
  /** I/O tasks posted to the worker and not yet answered. */
  ioOutstanding: number
  /** I/O tasks that the worker may hold. */
  ioWindow: number
  /** Event-loop lag as the worker last reported it, ms. */
  reportedLagMs: number
  /** Age of the worker's last stamp or beat, ms. 0 for an idle worker, which need not beat. */
  stampAgeMs: number
  /** Time between two beats of a busy worker, ms. */
  periodMs: number
  /** Share of the last measuring window that the worker's event loop was busy, 0..1. May be a little outside. */
  utilisation: number
  /** Length of that window, ms. */
  utilisationWindowMs: number
  heapUsedBytes: number
  /** 0 while it is not known. Memory then counts as free. */
  heapLimitBytes: number
  /** Smoothed time from post to answer, ms; 0 without a history. */
  responseMs: number
  /** When the reading was taken, ms of the clock that all threads share. It spaces the samples of the smoothing. */
  readAtMs: number
}

/** A reading to fill: an idle worker without a history. */
export function newWorkerReading(): WorkerReading {
  return {
    cpuOutstanding: 0,
    cpuRoom: 2,
    ioOutstanding: 0,
    ioWindow: 64,
    reportedLagMs: 0,
    stampAgeMs: 0,
    periodMs: 20,
    utilisation: 0,
    utilisationWindowMs: 200,
    heapUsedBytes: 0,
    heapLimitBytes: 0,
    responseMs: 0,
    readAtMs: 0,
  }
}
