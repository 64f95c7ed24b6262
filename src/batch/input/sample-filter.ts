/** The filter that a run's options ask for; a sample of a fixed size needs the number of records first. */

import { BatchUsageError } from '../options/batch-errors.js'
import type { ResolvedMapOptions } from '../options/map-options.js'
import type { ByteSource } from './byte-source.js'
import type { FilterOptions } from './record-filter.js'
import { countRecords } from './record-reader.js'

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
