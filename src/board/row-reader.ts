/** The dispatcher's side of a row: nanoseconds a read, no message, true although the worker is blocked. */

import {
  ROW_ACTIVE,
  ROW_BEAT,
  ROW_CULPRIT,
  ROW_HEAP_KIB,
  ROW_HEAP_LIMIT_KIB,
  ROW_IO_STAMP,
  ROW_LAG,
  ROW_REPORTED_CPU,
  ROW_REPORTED_IO,
  ROW_RUNNING,
  ROW_SENDING,
  ROW_STAMP,
  ROW_STARTED,
  ticksBetweenMs,
} from './layout.js'

export class RowReader {
  readonly #row: Int32Array

  constructor(row: Int32Array) {
    this.#row = row
  }

  get active(): boolean {
    return Atomics.load(this.#row, ROW_ACTIVE) === 1
  }

  /** Time since the last claim or finish of a CPU task, ms. */
  cpuProgressAgeMs(nowTicks: number): number {
    return ticksBetweenMs(this.#row[ROW_STAMP], nowTicks)
  }

  /** Time since the last claim or finish of an I/O task, ms. */
  ioProgressAgeMs(nowTicks: number): number {
    return ticksBetweenMs(this.#row[ROW_IO_STAMP], nowTicks)
  }

  /** Time since the last beat, ms. */
  beatAgeMs(nowTicks: number): number {
    return ticksBetweenMs(Atomics.load(this.#row, ROW_BEAT), nowTicks)
  }

  get reportedLagMs(): number {
    return ticksBetweenMs(0, this.#row[ROW_LAG])
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

  get started(): number {
    return this.#row[ROW_STARTED]
  }

  get heapUsedBytes(): number {
    return this.#row[ROW_HEAP_KIB] * 1024
  }

  get heapLimitBytes(): number {
    return this.#row[ROW_HEAP_LIMIT_KIB] * 1024
  }

  /** Who ended the thread: 0 unknown, -1 nobody's task, else key + 1. */
  get culprit(): number {
    return Atomics.load(this.#row, ROW_CULPRIT)
  }
}
