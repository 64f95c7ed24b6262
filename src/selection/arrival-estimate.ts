import type { LoadView } from './load-view.js'

/**
 * Weight of one sample. Every worker gives a sample per report, so ten workers renew three quarters of the estimate
 * within one report period. A guess on the steady side: the rule that uses it loses 10 % when the estimate is wrong by
 * a factor of two (simulated), and samples scatter by 1 / sqrt(arrivals).
 */
const SAMPLE_WEIGHT = 1 / 8

/**
 * How many tasks arrive, over all workers, between two reports of one worker. No clock is read: a report is new when
 * its age is less than at the last look, and the picks counted between two new reports of a worker are one sample of
 * rate times report period. O(slots) per look.
 */
export class ArrivalEstimate {
  #lastAgesMs = new Float64Array(0)
  /** Picks made before the worker's last report; NaN until one was seen to arrive. */
  #picksAtReport = new Float64Array(0)
  #picks = 0
  #arrivals = -1

  /** Looks at the reports' ages, before a pick. Returns the arrivals expected in one report period. */
  observe(view: LoadView): number {
    const size = view.size
    if (this.#lastAgesMs.length < size) this.#grow(size)
    for (let index = 0; index < size; index++) {
      const ageMs = view.reportAgeMs(index)
      const lastAgeMs = this.#lastAgesMs[index]!
      if (ageMs < lastAgeMs) {
        const sample = this.#picks - this.#picksAtReport[index]!
        if (sample >= 0) this.#take(sample)
        // What is seen first may be the middle of a period: the count starts at the report after it.
        this.#picksAtReport[index] = lastAgeMs === Number.POSITIVE_INFINITY ? Number.NaN : this.#picks
      }
      this.#lastAgesMs[index] = ageMs >= 0 ? ageMs : Number.POSITIVE_INFINITY
    }
    // Before any period was seen whole: as many tasks as workers, between "fresh" and "of no use".
    return this.#arrivals < 0 ? size : this.#arrivals
  }

  /** Counts one pick. */
  count(): void {
    this.#picks++
  }

  #take(sample: number): void {
    this.#arrivals = this.#arrivals < 0 ? sample : this.#arrivals + (sample - this.#arrivals) * SAMPLE_WEIGHT
  }

  #grow(size: number): void {
    const known = this.#lastAgesMs.length
    const lastAgesMs = new Float64Array(size).fill(Number.POSITIVE_INFINITY, known)
    lastAgesMs.set(this.#lastAgesMs)
    const picksAtReport = new Float64Array(size).fill(Number.NaN, known)
    picksAtReport.set(this.#picksAtReport)
    this.#lastAgesMs = lastAgesMs
    this.#picksAtReport = picksAtReport
  }
}
