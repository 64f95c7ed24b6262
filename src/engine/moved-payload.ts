/** Payloads with a transfer list: their objects are moved to the worker, so they can be sent once. */

import type { LaneTask } from './lane-task.js'

export function isMoved(task: LaneTask): boolean {
  return task.transfer !== undefined && task.transfer.length > 0
}
