/**
 * The sign that the event loop turns: a timer that runs while the worker holds tasks. Each beat writes into the row how
 * late it was and how much waits. An idle worker does not beat; its row says that it is idle.
 */

import { createRequire } from 'node:module'
import type * as v8 from 'node:v8'
import type { Clock, Timer } from '../src/base/clock.js'
import { BEAT_PERIOD_MS } from '../src/board/layout.js'
import type { RowWriter } from '../src/board/row-writer.js'

/**
 * One beat in this many reads the heap's size, and the last one does. More often is needed only when a limit is set.
 */
const BEATS_PER_HEAP_READ = 25

/** The numbers of tasks that the row reports. */
export interface Depths {
  /** CPU tasks waiting or running. */
  readonly cpuDepth: number
  /** I/O tasks waiting or running. */
  readonly ioDepth: number
}

export class Beat {
  /** Set by the executor at every claim. A worker that has worked since the last beat is not idle. */
  worked = false
  readonly #row: RowWriter
  readonly #clock: Clock
  readonly #depths: Depths
  #timer: Timer | undefined
  #v8: typeof v8 | undefined
  #lastMs = 0
  #count = 0

  constructor(row: RowWriter, clock: Clock, depths: Depths) {
    this.#row = row
    this.#clock = clock
    this.#depths = depths
  }

  /** Tasks were accepted. */
  wake(): void {
    if (this.#timer !== undefined) return
    this.#lastMs = this.#clock.nowMs()
    this.#row.active(this.#lastMs)
    this.#timer = this.#clock.every(BEAT_PERIOD_MS, () => this.#beat())
  }

  #beat(): void {
    const nowMs = this.#clock.nowMs()
    const lagMs = Math.max(0, nowMs - this.#lastMs - BEAT_PERIOD_MS)
    this.#lastMs = nowMs
    const { cpuDepth, ioDepth } = this.#depths
    const idle = cpuDepth === 0 && ioDepth === 0 && !this.worked
    this.worked = false
    if (idle || this.#count++ % BEATS_PER_HEAP_READ === 0) this.readHeap()
    if (idle) {
      this.#timer?.stop()
      this.#timer = undefined
      this.#row.idle(nowMs)
    } else this.#row.report(nowMs, lagMs, cpuDepth, ioDepth)
  }

  /** Writes the heap's size, garbage included, into the row. 0.7 µs at any size; `process.memoryUsage()` takes 3.4. */
  readHeap(): void {
    // Loaded late: it takes 0.5 ms, and a thread's first answer need not wait for it.
    this.#v8 ??= createRequire(process.execPath)('node:v8') as typeof v8
    const heap = this.#v8.getHeapStatistics()
    this.#row.heap(heap.used_heap_size, heap.heap_size_limit)
  }
}
