/** Whether a pool can work, for whoever restarts a process that cannot, and whoever sends requests to one that can. */

import type { DispatcherSnapshot, WorkerSnapshot } from '../dispatcher/snapshot.js'

/** Work that has waited this long while no worker could take it will go on waiting, ms. */
export const STUCK_MS = 30_000

export interface Liveness {
  /** `stuck`: the pool makes no progress, and has not for long. */
  readonly status: 'ok' | 'stuck'
  /** Workers that have a thread, and how many of them are stalled. */
  readonly workers: number
  readonly stalled: number
  /** How long work has waited while no worker could take it, ms. */
  readonly stuckMs: number
}

export interface Readiness {
  /**
   * `starting`: no worker has loaded the module. `stalled`: all that have are stalled. `full`: as many tasks wait as
   * `maxQueue` allows.
   */
  readonly status: 'ready' | 'starting' | 'stalled' | 'full'
  /** Workers that take tasks. */
  readonly ready: number
}

const LOADED: ReadonlySet<WorkerSnapshot['state']> = new Set(['idle', 'busy', 'suspect', 'ejected'])

/**
 * Whether the process is worth keeping. A pool is stuck when work has waited for `limitMs` while all its workers were
 * stalled, or none was loaded. Long tasks, full queues and single stalled workers are no reason to end a process.
 */
export function livenessOf({ workers, stuckMs }: DispatcherSnapshot, limitMs = STUCK_MS): Liveness {
  return {
    status: stuckMs > limitMs ? 'stuck' : 'ok',
    workers: workers.filter(({ state }) => state !== 'dead').length,
    stalled: workers.filter(({ state }) => state === 'stalled').length,
    stuckMs,
  }
}

/**
 * Whether the pool should be sent work: a worker is loaded and not stalled, and the queue is not full. A pool whose
 * `workers.min` is 0 starts its first thread with its first task, so it is ready without one.
 */
export function readinessOf({ workers, workersMin, hasRoom }: DispatcherSnapshot): Readiness {
  const ready = workers.filter(({ state }) => LOADED.has(state)).length
  const isStalled = workers.some(({ state }) => state === 'stalled')
  const startsOnDemand = workersMin === 0 && workers.every(({ state }) => state === 'dead')
  if (ready === 0 && isStalled) return { status: 'stalled', ready }
  if (ready === 0 && !startsOnDemand) return { status: 'starting', ready }
  return { status: hasRoom ? 'ready' : 'full', ready }
}
