/** Whether a pool can work, for whoever restarts a process that cannot. */

import type { DispatcherSnapshot } from '../dispatcher/snapshot.js'

export interface PoolHealth {
  readonly status: 'ok' | 'stalled'
  /** Workers that have a thread, and how many of them are stalled. */
  readonly workers: number
  readonly stalled: number
}

/** Stalled when every worker that has a thread is. A pool without threads is idle and well. */
export function healthOf({ workers }: DispatcherSnapshot): PoolHealth {
  const alive = workers.filter(({ state }) => state !== 'dead').length
  const stalled = workers.filter(({ state }) => state === 'stalled').length
  return { status: alive > 0 && stalled === alive ? 'stalled' : 'ok', workers: alive, stalled }
}
