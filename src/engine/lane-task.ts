/** The fields of a task that a lane uses. The dispatcher's task has these and more. */

import type { TransferListItem } from 'node:worker_threads'
import type { Linked } from '../base/linked-list.js'
import type { TaskKind } from '../protocol/batch.js'

export interface LaneTask extends Linked {
  /** Neighbours in the one list that holds the task: a queue, or a lane's posted tasks. */
  previous: LaneTask | undefined
  next: LaneTask | undefined
  readonly kind: TaskKind
  readonly name: string
  readonly payload: unknown
  readonly transfer: readonly TransferListItem[] | undefined
  readonly attempt: number
  readonly wantsProgress: boolean
  /** The result is pulled item by item. */
  readonly wantsItems: boolean
  /** True when the task cannot be sent twice or to another worker, so it must not be taken back. */
  readonly staysPut: boolean
  /** The claim key while a lane holds the task, else -1. */
  key: number
  /** The run time that a lane counts it with, ms. */
  expectedMs: number
  /** How long posting took, µs, if the payload needed its own message, else 0. Posting it again would cost the same. */
  repostUs: number
  /** How often it was taken back because its worker made no progress. */
  takenBack: number
  /** True when it was in a shared message that its worker could not read, so it is sent alone. */
  travelsAlone: boolean
  /** The binary payload that a lane counts it with, bytes. */
  payloadBytes: number
}

/** Whether the payload has a transfer list. Its objects are moved to the worker, so it can be sent only once. */
export function isMoved(task: LaneTask): boolean {
  return task.transfer !== undefined && task.transfer.length > 0
}
