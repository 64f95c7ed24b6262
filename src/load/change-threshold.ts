/**
 * Keeps small movements from causing a rebuild. A value counts as moved when it differs from the last one that
 * *counted*, so a slow drift of small steps is seen once it adds up. O(1), no allocation after construction.
 */
export class ChangeThreshold {
  readonly #threshold: number
  readonly #counted: Float64Array

  /** @param threshold in the unit of the values; a movement of exactly this much does not count */
  constructor(threshold: number, slots: number) {
    this.#threshold = threshold
    this.#counted = new Float64Array(slots).fill(Number.NaN)
  }

  /** Whether the slot's value moved; if so, further movements are measured from it. The first value has moved. */
  hasMoved(slot: number, value: number): boolean {
    const counted = this.#counted[slot]!
    if (Math.abs(value - counted) <= this.#threshold) return false
    if (Number.isNaN(value) && Number.isNaN(counted)) return false
    this.#counted[slot] = value
    return true
  }

  reset(slot: number): void {
    this.#counted[slot] = Number.NaN
  }
}
