/** The worker's side of its row. Every word of the row has one writer: this. */

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
  ticksOf,
} from './layout.js'

export class RowWriter {
  readonly #row: Int32Array

  constructor(row: Int32Array) {
    this.#row = row
    row[ROW_RUNNING] = -1
  }

  /** Progress: a task was claimed or finished. */
  stamp(kind: 'cpu' | 'io', ticks: number): void {
    this.#row[kind === 'io' ? ROW_IO_STAMP : ROW_STAMP] = ticks
  }

  /** The CPU turn went to this claim index; -1 when it was given back. */
  running(index: number): void {
    this.#row[ROW_RUNNING] = index
  }

  /** A value that may be large is being written into a message, or was. */
  sending(now: boolean): void {
    Atomics.store(this.#row, ROW_SENDING, now ? 1 : 0)
  }

  countStart(): void {
    this.#row[ROW_STARTED]++
  }

  active(nowMs: number): void {
    const ticks = ticksOf(nowMs)
    this.#row[ROW_BEAT] = ticks
    this.#row[ROW_STAMP] = ticks
    this.#row[ROW_IO_STAMP] = ticks
    Atomics.store(this.#row, ROW_ACTIVE, 1)
  }

  idle(nowMs: number): void {
    this.report(nowMs, 0, 0, 0)
    Atomics.store(this.#row, ROW_ACTIVE, 0)
  }

  /** What the worker says of itself, at a beat and on going idle. */
  report(nowMs: number, lagMs: number, cpuDepth: number, ioDepth: number): void {
    const row = this.#row
    row[ROW_LAG] = ticksOf(lagMs)
    row[ROW_REPORTED_CPU] = cpuDepth
    row[ROW_REPORTED_IO] = ioDepth
    Atomics.store(row, ROW_BEAT, ticksOf(nowMs))
  }

  heap(usedBytes: number, limitBytes: number): void {
    this.#row[ROW_HEAP_KIB] = usedBytes / 1024
    this.#row[ROW_HEAP_LIMIT_KIB] = Math.min(limitBytes / 1024, 2 ** 31 - 1)
  }

  /** Before the thread ends: whose code ended it, as key + 1, or -1 for nobody's. */
  culprit(value: number): void {
    Atomics.store(this.#row, ROW_CULPRIT, value)
  }
}
