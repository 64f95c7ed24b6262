import { NONE } from './task-table.js'

/** Idle workers, the one idle longest first; every operation O(1). */
export class IdleLine {
  readonly #next: Int32Array
  readonly #previous: Int32Array
  readonly #inLine: Uint8Array
  /** NONE when nobody is idle. */
  longest = NONE
  #latest = NONE
  length = 0

  constructor(workers: number) {
    this.#next = new Int32Array(workers).fill(NONE)
    this.#previous = new Int32Array(workers).fill(NONE)
    this.#inLine = new Uint8Array(workers)
  }

  /** Puts the worker at the end of the line, or out of it; no change when it is so already. */
  set(worker: number, idle: boolean): void {
    if ((this.#inLine[worker] === 1) === idle) return
    if (idle) this.#append(worker)
    else this.#remove(worker)
  }

  #append(worker: number): void {
    this.#inLine[worker] = 1
    this.#previous[worker] = this.#latest
    this.#next[worker] = NONE
    if (this.#latest === NONE) this.longest = worker
    else this.#next[this.#latest] = worker
    this.#latest = worker
    this.length++
  }

  #remove(worker: number): void {
    const next = this.#next[worker]!
    const previous = this.#previous[worker]!
    this.#inLine[worker] = 0
    if (previous === NONE) this.longest = next
    else this.#next[previous] = next
    if (next === NONE) this.#latest = previous
    else this.#previous[next] = previous
    this.length--
  }
}
