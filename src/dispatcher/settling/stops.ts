/** When the whole process stood still. No task ran meanwhile, so the time counts for nobody's run. */

interface Stop {
  readonly endMs: number
  readonly ms: number
}

/** Stops are rare; of a process that is stopped all the time the last ones count. */
const MAX_STOPS = 64

export class Stops {
  readonly #stops: Stop[] = []

  note(endMs: number, ms: number): void {
    if (ms <= 0) return
    this.#stops.push({ endMs, ms })
    if (this.#stops.length > MAX_STOPS) this.#stops.shift()
  }

  /** How long the process has stood still since then, ms. */
  since(fromMs: number): number {
    let sumMs = 0
    for (const { endMs, ms } of this.#stops) {
      if (endMs > fromMs) sumMs += Math.min(ms, endMs - fromMs)
    }
    return sumMs
  }
}
