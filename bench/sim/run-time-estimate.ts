/**
 * Smoothed run time of a task name, shared by all workers. A sample is clipped, so that one rare long run does not
 * shrink every window for thousands of tasks; the first samples weigh more, so that a start value fades at once.
 */
export class RunTimeEstimate {
  readonly #clipMs: number
  readonly #weight: number
  #meanMs: number
  #count = 0

  constructor({ initialMs, clipMs, weight }: { initialMs: number; clipMs: number; weight: number }) {
    this.#meanMs = initialMs
    this.#clipMs = clipMs
    this.#weight = weight
  }

  get meanMs(): number {
    return this.#meanMs
  }

  get count(): number {
    return this.#count
  }

  add(runMs: number): void {
    this.#count++
    const sampleMs = Math.min(runMs, this.#clipMs)
    this.#meanMs += (sampleMs - this.#meanMs) * Math.max(this.#weight, 1 / this.#count)
  }
}
