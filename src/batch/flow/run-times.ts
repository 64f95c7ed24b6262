/**
 * Median of run times in constant memory: a histogram whose buckets grow by 2 %, from 1 µs to 10 days, so the
 * median is off by at most 1 %.
 */

const SMALLEST_MS = 0.001
const GROWTH = 1.02
const BUCKETS = 1400
/** Fewer samples than this say too little (the same bound as GNU parallel's timeout in percent). */
const FEWEST_SAMPLES = 10

export class RunTimes {
  readonly #counts = new Uint32Array(BUCKETS)
  #total = 0

  add(runMs: number): void {
    const bucket = Math.floor(Math.log(Math.max(runMs, SMALLEST_MS) / SMALLEST_MS) / Math.log(GROWTH))
    this.#counts[Math.min(bucket, BUCKETS - 1)]! += 1
    this.#total++
  }

  /** `undefined` before ten samples. */
  medianMs(): number | undefined {
    if (this.#total < FEWEST_SAMPLES) return undefined
    let below = 0
    let bucket = 0
    while (below + this.#counts[bucket]! < this.#total / 2) below += this.#counts[bucket++]!
    return SMALLEST_MS * GROWTH ** (bucket + 0.5)
  }
}
