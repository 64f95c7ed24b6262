/** What a lane and a task list need of a task. The dispatcher's task has these fields and more. */

import type { TransferListItem } from 'node:worker_threads'
import type { TaskKind } from '../protocol/batch.js'

export interface LaneTask {
  /** Neighbours in the one list the task is in: a queue, or a lane's posted tasks. */
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
  /** Cannot be sent a second time, or nowhere else: not to be taken back for another worker. */
  readonly staysPut: boolean
  /** The claim key while a lane holds the task, else -1. */
  key: number
  /** Run time it is counted with while a lane holds it, ms. */
  expectedMs: number
  /** What posting it took when its payload had to have a message to itself, else 0, µs: what posting it again would cost. */
  repostUs: number
  /** How often it was taken back because its worker did not get on. */
  takenBack: number
  /** Was in a message with others that its worker could not read. */
  travelsAlone: boolean
  /** Binary payload it is counted with while a lane holds it. */
  payloadBytes: number
}

/** Payloads with a transfer list: their objects are moved to the worker, so they can be sent once. */

export function isMoved(task: LaneTask): boolean {
  return task.transfer !== undefined && task.transfer.length > 0
}
