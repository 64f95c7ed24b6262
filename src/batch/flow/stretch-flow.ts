/** Stretches under way: their slots, their answers, and the rescue of a stretch that gets stuck. */

import { EvenkeelError } from '../../base/errors.js'
import {
  addressLength,
  addressStart,
  type RecordAnswer,
  type StretchAnswer,
  type StretchPayload,
} from '../../records/record-transfer.js'
import type { StretchMemory } from '../../records/stretch-memory.js'
import type { InputRecord, RecordReader, StretchNote } from '../records/record.js'
import type { StretchShare } from '../records/stretch-slots.js'

export interface StretchListener {
  answered(record: InputRecord, answer: RecordAnswer): void
  failed(record: InputRecord, error: unknown): void
  /** The record was never started: send it by itself. */
  startAlone(record: InputRecord): void
  /** Every record of the stretch has a plain line; `lines` is valid during the call. */
  succeeded(stretch: InputRecord, lines: Buffer): void
  /** Returns the records of a stretch. From now on each of them is reported by itself. */
  split(stretch: InputRecord, memorySlot: number): readonly InputRecord[]
}

interface OpenStretch {
  readonly slot: number
  readonly count: number
  /** All records one by one, or the one that stands for all while they are whole. */
  records: readonly InputRecord[]
  /** How many records were done when it was last looked at. */
  seenDone: number
  /** Records before this one are settled. */
  settled: number
  /** Records from this one on were taken away. */
  end: number
}

/** Codes with which a stretch rejects once its thread has ended. */
const THREAD_ENDED: ReadonlySet<string> = new Set([
  'EVENKEEL_WORKER_EXIT',
  'EVENKEEL_LOST_WITH_WORKER',
  'EVENKEEL_POISON',
])

export class StretchFlow {
  /** Becomes false when the task turns out not to run in stretches. */
  isUsable = true
  readonly #memory: StretchMemory
  readonly #slots: StretchShare
  readonly #send: (payload: StretchPayload) => Promise<StretchAnswer>
  readonly #listener: StretchListener
  readonly #open = new Set<OpenStretch>()
  readonly #note: StretchNote

  constructor(
    slots: StretchShare,
    send: (payload: StretchPayload) => Promise<StretchAnswer>,
    listener: StretchListener,
  ) {
    this.#memory = slots.memory
    this.#note = { memory: slots.memory, slot: 0, most: 0, count: 0 }
    this.#slots = slots
    this.#send = send
    this.#listener = listener
  }

  /** Sends records that lie in the arena. False when no slot is free. */
  start(records: readonly InputRecord[]): boolean {
    const slot = this.#slots.take()
    if (slot === undefined) return false
    for (const [index, { place }] of records.entries()) {
      const start = addressStart(place as number)
      this.#memory.place(slot, index, start, start + addressLength(place as number))
    }
    this.#begin(slot, records.length, records)
    return true
  }

  /**
   * Takes the next of the reader. Up to `most` short records come as a stretch, which is sent at once, as its `attempts` tell;
   * a record that comes by itself is the caller's to send. Without a free slot every record does.
   */
  next(reader: RecordReader, most: number): InputRecord | undefined {
    const slot = this.#slots.take()
    if (slot === undefined) return reader.next()
    const note = this.#note
    note.slot = slot
    note.most = most
    note.count = 0
    const record = reader.next(note)
    if (note.count === 0) this.#slots.give(slot)
    else {
      record!.attempts = 1
      this.#begin(slot, note.count, [record!])
    }
    return record
  }

  #begin(slot: number, count: number, records: readonly InputRecord[]): void {
    const turn = this.#memory.open(slot)
    const stretch: OpenStretch = { slot, count, records, seenDone: -1, settled: 0, end: count }
    this.#open.add(stretch)
    this.#send([slot, count, turn]).then(
      (answer) => this.#answered(stretch, answer),
      (error: unknown) => this.#failed(stretch, error),
    )
  }

  /**
   * To be called now and then: a stretch that has not moved since the last time is stopped behind the record that
   * runs. What lies before it is done, what lies behind it goes elsewhere.
   */
  check(): void {
    for (const stretch of this.#open) {
      if (stretch.end < stretch.count) continue
      const done = this.#memory.done(stretch.slot)
      const moved = done !== stretch.seenDone
      stretch.seenDone = done
      if (!moved) this.#stop(stretch, this.#memory.revoke(stretch.slot))
    }
  }

  /** Stops every stretch behind the record that runs, whether it gets on or not. */
  stopAll(): void {
    for (const stretch of this.#open) {
      if (stretch.end === stretch.count) this.#stop(stretch, this.#memory.end(stretch.slot))
    }
  }

  /** `done`: how many records were when it was revoked, or -1 if it was not. */
  #stop(stretch: OpenStretch, done: number): void {
    if (done < 0 || done >= stretch.count) return
    const records = this.#recordsOf(stretch)
    // A record without a plain line is described only in the answer, so settling stops before the first of those.
    stretch.end = done + 1
    for (let index = done + 1; index < records.length; index++) this.#listener.startAlone(records[index]!)
    while (stretch.settled < done) {
      const line = this.#memory.line(stretch.slot, stretch.settled)
      if (line === undefined) break
      this.#listener.answered(records[stretch.settled++]!, line)
    }
  }

  #answered(stretch: OpenStretch, answer: StretchAnswer): void {
    this.#open.delete(stretch)
    const { slot, count } = stretch
    if (answer === 0 && stretch.records.length < count) {
      this.#listener.succeeded(stretch.records[0]!, this.#memory.lines(slot, count))
      this.#slots.give(slot)
      return
    }
    const records = this.#recordsOf(stretch)
    const notes = answer === 0 ? [] : answer
    let note = 0
    for (let index = 0; index < stretch.end; index++) {
      const noted = notes[note]?.[0] === index ? notes[note++]![1] : undefined
      if (index < stretch.settled) continue
      this.#listener.answered(records[index]!, noted ?? this.#memory.line(slot, index)!)
    }
    this.#slots.give(slot)
  }

  /** The task of the whole stretch failed: the worker was lost or ended, or cannot run stretches. */
  #failed(stretch: OpenStretch, error: unknown): void {
    this.#open.delete(stretch)
    const { slot, end } = stretch
    const records = this.#recordsOf(stretch)
    const code = error instanceof EvenkeelError ? error.code : undefined
    const isUnknown = code === 'EVENKEEL_UNKNOWN_TASK'
    if (isUnknown) this.isUsable = false
    // An aborted stretch may still be running. From here on it starts no further record.
    const done = this.#memory.end(slot)
    for (let index = stretch.settled; index < end; index++) {
      const record = records[index]!
      const line = index < done ? this.#memory.line(slot, index) : undefined
      if (line !== undefined) this.#listener.answered(record, line)
      else if (isUnknown || index > done) this.#listener.startAlone(record)
      else if (index === done) this.#listener.failed(record, error)
      // The record is done, but its answer was lost with the worker.
      else this.#listener.failed(record, lostAnswer(error))
    }
    if (code !== undefined && THREAD_ENDED.has(code)) this.#slots.give(slot)
    else this.#slots.giveUp(slot)
  }

  #recordsOf(stretch: OpenStretch): readonly InputRecord[] {
    if (stretch.records.length < stretch.count) {
      stretch.records = this.#listener.split(stretch.records[0]!, stretch.slot)
    }
    return stretch.records
  }
}

/** The record had no plain result, and the note with its answer is lost. It did not cause the loss, so it may run again. */
function lostAnswer(cause: unknown): EvenkeelError {
  return new EvenkeelError('EVENKEEL_LOST_WITH_WORKER', 'the answer was lost with its worker', { cause })
}
