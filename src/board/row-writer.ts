/** The worker's view of its row. It is the only writer of the row. */

import {
  ROW_ACTIVE,
  ROW_CULPRIT,
  ROW_HEAP_KIB,
  ROW_HEAP_LIMIT_KIB,
  ROW_KEEPING,
  ROW_REPORTED_CPU,
  ROW_REPORTED_IO,
  ROW_RUNNING,
  ROW_SENDING,
  WIDE_BEAT,
  WIDE_IO_STAMP,
  WIDE_LAG,
  WIDE_STAMP,
  WIDE_STARTED,
  wideOf,
} from './layout.js'

export class RowWriter {
  readonly #row: Int32Array
  readonly #wide: Float64Array

  constructor(row: Int32Array) {
    this.#row = row
    this.#wide = wideOf(row)
    row[ROW_RUNNING] = -1
  }

  /** Notes progress: a message with tasks was read, or a task was claimed or finished. */
  stamp(kind: 'cpu' | 'io', nowMs: number): void {
    this.#wide[kind === 'io' ? WIDE_IO_STAMP : WIDE_STAMP] = nowMs
  }

  /** Notes the claim index that holds the CPU turn; -1 for none. */
  running(index: number): void {
    this.#row[ROW_RUNNING] = index
  }

  /** Notes whether a value that may be large is being written into a message. */
  sending(now: boolean): void {
    Atomics.store(this.#row, ROW_SENDING, now ? 1 : 0)
  }

  /** Notes whether answers wait to be sent. */
  keeping(now: boolean): void {
    this.#row[ROW_KEEPING] = now ? 1 : 0
  }

  countStart(): void {
    this.#wide[WIDE_STARTED]++
  }

  active(nowMs: number): void {
    const wide = this.#wide
    wide[WIDE_BEAT] = nowMs
    wide[WIDE_STAMP] = nowMs
    wide[WIDE_IO_STAMP] = nowMs
    Atomics.store(this.#row, ROW_ACTIVE, 1)
  }

  idle(nowMs: number): void {
    this.report(nowMs, 0, 0, 0)
    Atomics.store(this.#row, ROW_ACTIVE, 0)
  }

  /** Writes the worker's figures, at a beat and when it becomes idle. */
  report(nowMs: number, lagMs: number, cpuDepth: number, ioDepth: number): void {
    this.#wide[WIDE_LAG] = lagMs
    this.#wide[WIDE_BEAT] = nowMs
    this.#row[ROW_REPORTED_CPU] = cpuDepth
    // Atomic, so that the writes before it are seen as well.
    Atomics.store(this.#row, ROW_REPORTED_IO, ioDepth)
  }

  heap(usedBytes: number, limitBytes: number): void {
    this.#row[ROW_HEAP_KIB] = usedBytes / 1024
    this.#row[ROW_HEAP_LIMIT_KIB] = Math.min(limitBytes / 1024, 2 ** 31 - 1)
  }

  /** Notes, before the thread ends, the task whose code ended it: as key + 1, or -1 for none. */
  culprit(value: number): void {
    Atomics.store(this.#row, ROW_CULPRIT, value)
  }
}
