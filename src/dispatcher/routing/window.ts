/**
 * How much a worker may hold. Some work must wait at the worker, so that it stays busy while answers and tasks cross
 * the thread boundary. More than that would wait in the wrong place. So the window counts expected milliseconds, not
 * tasks.
 */

import { MAX_WINDOW } from '../../board/layout.js'
import type { PoolWorker } from '../crew/pool-worker.js'
import { isCostly, type Task } from '../tasks/task.js'

/** Expected work that a lane may hold, ms: some ten times the boundary's delay. */
const WINDOW_MS = 1
/** Fewest tasks that a lane may hold, however long they are: one runs, one is there when it ends. */
const WINDOW_MIN_TASKS = 2
/** Binary payload that a lane may hold: bounds what a stalled port keeps in memory. */
const WINDOW_BYTES = 1024 * 1024

export interface WindowOptions {
  /** Fixed number of CPU tasks; undefined: by expected time. */
  readonly window: number | undefined
  readonly ioWindow: number
  readonly maxTasksPerWorker: number
}

/** CPU tasks that fit when each takes `meanMs`. */
export function windowTasks(options: WindowOptions, meanMs: number): number {
  if (options.window !== undefined) return options.window
  return Math.max(WINDOW_MIN_TASKS, Math.min(MAX_WINDOW, Math.floor(WINDOW_MS / meanMs)))
}

export function hasRoom(options: WindowOptions, worker: PoolWorker, task: Task): boolean {
  const lane = worker.lane!
  if (lane.freeWords === 0) return false
  if (task.payloadBytes > 0 && lane.payloadBytes > 0 && lane.payloadBytes + task.payloadBytes > WINDOW_BYTES)
    return false
  const { outstanding } = lane
  if (outstanding > 0 && (task.exclusive || isTaken(worker))) return false
  if (outstanding >= worker.windowLimit) return false
  // A worker that will be replaced holds no more tasks than it may still run.
  if (worker.finishedInLife + outstanding >= options.maxTasksPerWorker) return false
  // It was sent in vain once. Now it goes only to a worker without CPU tasks.
  if (task.takenBack > 0 && isCostly(task) && lane.cpu.size > 0) return false
  if (task.kind === 'io') return lane.io.size + lane.abandonedIo < options.ioWindow
  const held = lane.cpu.size
  if (options.window !== undefined) return held < options.window
  if (held < WINDOW_MIN_TASKS) return true
  // Posted messages must be read before their tasks can run.
  return held < MAX_WINDOW && lane.expectedMs + lane.postingUs / 1000 + task.stats.meanMs <= WINDOW_MS
}

/** Whether the worker holds an exclusive task. That was posted to an idle worker, so it is the first. */
function isTaken({ lane }: PoolWorker): boolean {
  const first = lane!.cpu.first ?? lane!.io.first
  return first?.exclusive === true
}
