/** Which records of the input take part: `skip`, then `sample`, then `limit`. */

import { seededRandom } from '../../base/random.js'
import { BatchUsageError } from '../options/batch-errors.js'
import type { ResolvedMapOptions } from '../options/map-options.js'
import type { ByteSource } from './byte-source.js'
import { countRecords } from './record-reader.js'

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

  /** Whether no further record can take part. */
  get isFull(): boolean {
    return this.#taken >= this.#options.limit
  }

  /** How many records take part when the inputs have `total`; without a total, the most that can, or `undefined` for any number. */
  expected(total: number | undefined): number | undefined {
    const { skip, limit, share, pick } = this.#options
    const known = pick?.total ?? total
    if (known === undefined) return Number.isFinite(limit) ? limit : undefined
    const left = Math.max(0, known - skip)
    return Math.min(limit, pick === undefined ? Math.round(left * share) : Math.min(left, pick.count))
  }

  /** Whether the record takes part. To be asked once for every record, in input order, until the filter is full. */
  takes(): boolean {
    const { skip, share, pick } = this.#options
    const at = this.#seen++ - skip
    if (at < 0 || this.isFull) return false
    if (share < 1 && this.#random() >= share) return false
    if (pick !== undefined && this.#random() * (pick.total - skip - at) >= pick.count - this.#taken) return false
    this.#taken++
    return true
  }
}

/** Reads the inputs once when `sample` is a count. Throws `BatchUsageError` when they cannot be read twice. */
export async function filterOptions(
  options: ResolvedMapOptions,
  sources: readonly ByteSource[],
): Promise<FilterOptions> {
  const { skip, limit, seed, sample } = options
  if (typeof sample !== 'object') return { skip, limit, seed, share: sample ?? 1, pick: undefined }
  if (sources.some(({ sizeBytes }) => sizeBytes === undefined)) {
    throw new BatchUsageError(
      'a sample of a number of records needs regular files; a stream can only give a percentage',
    )
  }
  const total = await countRecords(sources, options)
  return { skip, limit, seed, share: 1, pick: { count: sample.count, total } }
}
