/** The reader for a format, and a count of records ahead of a run. */

import type { ResolvedMapOptions } from '../options/map-options.js'
import type { RecordReader } from '../records/record.js'
import { RecordArena } from '../records/record-arena.js'
import type { ByteSource } from './byte-source.js'
import { CsvReader } from './csv-reader.js'
import {
  type DelimitedFormat,
  DelimitedReader,
  EXACT_LINES,
  JSON_LINES,
  NUL_SEPARATED,
  PLAIN_LINES,
} from './delimited-reader.js'
import type { TextChecksums } from './input-checksum.js'

export type ReaderOptions = Pick<ResolvedMapOptions, 'format' | 'raw' | 'delimiter' | 'maxRecordBytes'>

/** The byte that ends a record of the input. */
export function separatorOf(format: ResolvedMapOptions['format']): number {
  return delimitedFormat(format, false).separator
}

function delimitedFormat(format: ResolvedMapOptions['format'], raw: boolean): DelimitedFormat {
  if (format === 'nul') return NUL_SEPARATED
  if (format === 'lines') return raw ? EXACT_LINES : PLAIN_LINES
  return JSON_LINES
}

export function openReader(
  arena: RecordArena,
  sources: readonly ByteSource[],
  { format, raw, delimiter, maxRecordBytes }: ReaderOptions,
  checksums?: TextChecksums,
): RecordReader {
  if (format === 'csv') return new CsvReader(arena, sources, { delimiter, maxRecordBytes }, checksums)
  return new DelimitedReader(arena, sources, delimitedFormat(format, raw), maxRecordBytes, checksums)
}

/** Reads everything once and counts the records; throws `BatchInputError`. */
export async function countRecords(sources: readonly ByteSource[], options: ReaderOptions): Promise<number> {
  // The second block lets the reader carry a record over the border while the first is still held.
  const arena = new RecordArena(2)
  const reader = openReader(arena, sources, options)
  let count = 0
  try {
    do {
      for (let record = reader.next(); record !== undefined; record = reader.next()) {
        count++
        arena.release(record)
      }
    } while (await reader.advance())
  } finally {
    await reader.close()
  }
  return count
}
