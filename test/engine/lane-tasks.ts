import type { TransferListItem } from 'node:worker_threads'
import type { LaneTask } from '../../src/engine/lane-task.js'
import type { TaskKind } from '../../src/protocol/batch.js'

/** As little of a task as a lane needs. */
export class PlainTask implements LaneTask {
  previous: LaneTask | undefined = undefined
  next: LaneTask | undefined = undefined
  key = -1
  readonly kind: TaskKind
  readonly name: string
  readonly payload: unknown
  readonly transfer: readonly TransferListItem[] | undefined
  readonly attempt: number
  readonly wantsProgress: boolean
  readonly wantsItems: boolean
  readonly staysPut: boolean
  expectedMs: number
  payloadBytes: number
  repostUs = 0
  takenBack = 0
  travelsAlone = false

  constructor(fields: Partial<LaneTask> = {}) {
    this.kind = fields.kind ?? 'cpu'
    this.name = fields.name ?? (this.kind === 'io' ? 'fetch' : 'work')
    this.payload = fields.payload
    this.transfer = fields.transfer
    this.attempt = fields.attempt ?? 1
    this.wantsProgress = fields.wantsProgress ?? false
    this.wantsItems = fields.wantsItems ?? false
    this.staysPut = fields.staysPut ?? (this.transfer !== undefined && this.transfer.length > 0)
    this.expectedMs = fields.expectedMs ?? 1
    this.payloadBytes = fields.payloadBytes ?? 0
  }
}
