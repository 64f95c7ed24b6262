/** Which records of the input take part: `skip`, then `sample`, then `limit`. */

import { seededRandom } from '../base/random.js'

export interface FilterOptions {
  /** Records passed over at the start. */
  readonly skip: number
  /** The most records that take part. */
  readonly limit: number
  /** Share of the records that take part, 0..1; each is drawn by itself. */
  readonly share: number
  /** Or a number of records out of `total`, each subset equally likely (Knuth's algorithm S). */
  readonly pick: { readonly count: number; readonly total: number } | undefined
  /** Equal seeds draw equal records, so a resumed run draws the same ones. */
  readonly seed: number
}

export type FilterVerdict = 'take' | 'pass-over' | 'end'

export class RecordFilter {
  readonly #options: FilterOptions
  readonly #random: () => number
  #seen = 0
  #taken = 0

  constructor(options: FilterOptions) {
    this.#options = options
    this.#random = seededRandom(options.seed)
  }

  /** Whether every record takes part, so that the filter need not be asked. */
  get takesAll(): boolean {
    const { skip, limit, share, pick } = this.#options
    return skip === 0 && limit === Number.POSITIVE_INFINITY && share >= 1 && pick === undefined
  }

  /** To be asked once for every record, in input order. */
  next(): FilterVerdict {
    const { skip, limit, share, pick } = this.#options
    if (this.#taken >= limit) return 'end'
    const at = this.#seen++ - skip
    if (at < 0) return 'pass-over'
    if (share < 1 && this.#random() >= share) return 'pass-over'
    if (pick !== undefined && this.#random() * (pick.total - skip - at) >= pick.count - this.#taken) return 'pass-over'
    this.#taken++
    return 'take'
  }
}

export const EVERY_RECORD: FilterOptions = {
  skip: 0,
  limit: Number.POSITIVE_INFINITY,
  share: 1,
  pick: undefined,
  seed: 1,
}
