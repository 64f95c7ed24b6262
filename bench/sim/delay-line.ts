/**
 * Messages on their way that all take equally long, so they arrive in the order they were sent and a ring buffer
 * replaces a heap. Each carries two integers. It doubles when full; O(1) otherwise.
 */
export class DelayLine {
  readonly delayMs: number
  #dueMs = new Float64Array(64)
  #first = new Int32Array(64)
  #second = new Int32Array(64)
  #head = 0
  #length = 0

  constructor(delayMs: number) {
    this.delayMs = delayMs
  }

  get length(): number {
    return this.#length
  }

  send(nowMs: number, first: number, second: number): void {
    if (this.#length === this.#dueMs.length) this.#grow()
    const at = (this.#head + this.#length++) & (this.#dueMs.length - 1)
    this.#dueMs[at] = nowMs + this.delayMs
    this.#first[at] = first
    this.#second[at] = second
  }

  /** When the oldest message arrives, Infinity when none is under way. */
  get dueMs(): number {
    return this.#length > 0 ? this.#dueMs[this.#head]! : Number.POSITIVE_INFINITY
  }

  /** First integer of the oldest message; read it before `drop`. */
  get first(): number {
    return this.#first[this.#head]!
  }

  get second(): number {
    return this.#second[this.#head]!
  }

  drop(): void {
    this.#head = (this.#head + 1) & (this.#dueMs.length - 1)
    this.#length--
  }

  #grow(): void {
    const size = this.#dueMs.length
    const unroll = <T extends Float64Array | Int32Array>(from: T, to: T): T => {
      to.set(from.subarray(this.#head), 0)
      to.set(from.subarray(0, this.#head), size - this.#head)
      return to
    }
    this.#dueMs = unroll(this.#dueMs, new Float64Array(2 * size))
    this.#first = unroll(this.#first, new Int32Array(2 * size))
    this.#second = unroll(this.#second, new Int32Array(2 * size))
    this.#head = 0
  }
}
