/** Payloads with a transfer list: their objects are moved to the worker, so they can be sent once. */

import type { TransferListItem } from 'node:worker_threads'
import type { LaneTask } from './lane-task.js'

export function isMoved(task: LaneTask): boolean {
  return task.transfer !== undefined && task.transfer.length > 0
}

/** Throws for a buffer that was moved away before: Node would send an empty one, and say nothing. */
export function refuseDetached(transfer: readonly TransferListItem[] = []): void {
  for (const item of transfer) {
    if (!(item instanceof ArrayBuffer) || item.byteLength > 0) continue
    try {
      new Uint8Array(item)
    } catch {
      throw new DOMException('an ArrayBuffer of the transfer list was already moved elsewhere', 'DataCloneError')
    }
  }
}
