/**
 * Binary heap of event sources, each with at most one pending time (Infinity: none). A source is a number: the
 * arrival process, a delay line's oldest entry, a worker's next completion. Moving a source's time is how events
 * are scheduled, postponed and cancelled, so nothing is allocated and no dead entry is left behind.
 *
 * `schedule` costs O(log sources), reading the next event O(1). Equal times are served by ascending source number,
 * which makes a run reproducible.
 */
export class EventQueue {
  readonly #timeMs: Float64Array
  readonly #heap: Int32Array
  readonly #position: Int32Array

  constructor(sources: number) {
    this.#timeMs = new Float64Array(sources).fill(Number.POSITIVE_INFINITY)
    this.#heap = Int32Array.from({ length: sources }, (_, i) => i)
    this.#position = Int32Array.from({ length: sources }, (_, i) => i)
  }

  /** Source of the earliest event; any source, with time Infinity, when nothing is scheduled. */
  get next(): number {
    return this.#heap[0]!
  }

  timeOf(source: number): number {
    return this.#timeMs[source]!
  }

  cancel(source: number): void {
    this.schedule(source, Number.POSITIVE_INFINITY)
  }

  schedule(source: number, timeMs: number): void {
    const before = this.#timeMs[source]!
    if (timeMs === before) return
    this.#timeMs[source] = timeMs
    if (timeMs < before) this.#rise(source, timeMs)
    else this.#sink(source, timeMs)
  }

  #rise(source: number, timeMs: number): void {
    const heap = this.#heap
    const times = this.#timeMs
    let at = this.#position[source]!
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = heap[above]!
      const parentMs = times[parent]!
      if (parentMs < timeMs || (parentMs === timeMs && parent < source)) break
      heap[at] = parent
      this.#position[parent] = at
      at = above
    }
    heap[at] = source
    this.#position[source] = at
  }

  #sink(source: number, timeMs: number): void {
    const heap = this.#heap
    const times = this.#timeMs
    const size = heap.length
    let at = this.#position[source]!
    for (;;) {
      let below = 2 * at + 1
      if (below >= size) break
      let child = heap[below]!
      let childMs = times[child]!
      if (below + 1 < size) {
        const sibling = heap[below + 1]!
        const siblingMs = times[sibling]!
        if (siblingMs < childMs || (siblingMs === childMs && sibling < child)) {
          below++
          child = sibling
          childMs = siblingMs
        }
      }
      if (timeMs < childMs || (timeMs === childMs && source < child)) break
      heap[at] = child
      this.#position[child] = at
      at = below
    }
    heap[at] = source
    this.#position[source] = at
  }
}
