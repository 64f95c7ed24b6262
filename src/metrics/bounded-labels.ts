/** Label values that anybody may invent, held to a number: each value of a label is a series that a database keeps. */

/** What all values beyond the limit come under. */
export const OTHER = 'other'

/** The first values that are seen keep their own label for good, so that no series ever changes its meaning. */
export class BoundedLabels {
  readonly #limit: number
  readonly #known: Set<string>

  /** @param known values that are there from the beginning */
  constructor(limit: number, known: readonly string[] = []) {
    this.#limit = limit
    this.#known = new Set(known)
  }

  /** The value itself, or `other`. */
  of(value: string): string {
    if (this.#known.has(value)) return value
    if (this.#known.size >= this.#limit || value === OTHER) return OTHER
    this.#known.add(value)
    return value
  }

  /** Every value with a label of its own so far, in the order in which they were seen. */
  get known(): IterableIterator<string> {
    return this.#known.values()
  }
}
