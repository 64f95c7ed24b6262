/** The dispatcher's view of a row. A read takes nanoseconds and no message, and works while the worker is blocked. */

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

/** Short tasks that follow one another keep answers for 0.25 ms. This is a multiple of that, ms. */
const KEPT_MS = 10

export class RowReader {
  readonly #row: Int32Array
  readonly #wide: Float64Array

  constructor(row: Int32Array) {
    this.#row = row
    this.#wide = wideOf(row)
  }

  get active(): boolean {
    return Atomics.load(this.#row, ROW_ACTIVE) === 1
  }

  /** Time since the last claim or finish of a CPU task, ms. */
  cpuProgressAgeMs(nowMs: number): number {
    return nowMs - this.#wide[WIDE_STAMP]
  }

  /** Time since the last claim or finish of an I/O task, ms. */
  ioProgressAgeMs(nowMs: number): number {
    return nowMs - this.#wide[WIDE_IO_STAMP]
  }

  /** Time since the last beat, ms. */
  beatAgeMs(nowMs: number): number {
    return nowMs - this.#wide[WIDE_BEAT]
  }

  /** Time since the last sign of life of any kind, ms. */
  signAgeMs(nowMs: number): number {
    const wide = this.#wide
    return nowMs - Math.max(wide[WIDE_BEAT], wide[WIDE_STAMP], wide[WIDE_IO_STAMP])
  }

  get reportedLagMs(): number {
    return this.#wide[WIDE_LAG]
  }

  get reportedCpu(): number {
    return this.#row[ROW_REPORTED_CPU]
  }

  get reportedIo(): number {
    return this.#row[ROW_REPORTED_IO]
  }

  /** Claim index of the CPU task that holds the turn, or -1. */
  get running(): number {
    return this.#row[ROW_RUNNING]
  }

  /** Whether the worker is writing a value that may be large into a message. */
  get sending(): boolean {
    return Atomics.load(this.#row, ROW_SENDING) === 1
  }

  /** Whether the worker keeps answers that it has not sent. It may send them at any moment. */
  get keeping(): boolean {
    return Atomics.load(this.#row, ROW_KEEPING) === 1
  }

  /** Whether it keeps answers although it has given no sign of life for a while: a task may block it. */
  holdsBack(nowMs: number): boolean {
    return this.keeping && this.signAgeMs(nowMs) > KEPT_MS
  }

  get started(): number {
    return this.#wide[WIDE_STARTED]
  }

  get heapUsedBytes(): number {
    return this.#row[ROW_HEAP_KIB] * 1024
  }

  get heapLimitBytes(): number {
    return this.#row[ROW_HEAP_LIMIT_KIB] * 1024
  }

  /** The task whose code ended the thread, as key + 1; -1 for none, 0 for unknown. */
  get culprit(): number {
    return Atomics.load(this.#row, ROW_CULPRIT)
  }
}
