/** What a run would do: reads and checks the whole input, looks at output and journal, and changes nothing. */

import { stat } from 'node:fs/promises'
import { decodeRecord, decodeText } from '../records/record-codec.js'
import { findInputs } from './input/input-files.js'
import { filterOptions, RecordFilter } from './input/record-filter.js'
import { openReader } from './input/record-reader.js'
import { readJournal } from './journal/journal-state.js'
import { recordCodec } from './options/codec-options.js'
import { journalPath, type MapFileOptions, type ResolvedMapOptions, resolveMapOptions } from './options/map-options.js'
import { outputState } from './output/output-file.js'
import { RecordArena } from './records/record-arena.js'

export interface BadRecordPlace {
  readonly input: string
  readonly line: number
  readonly offset: number
  readonly message: string
}

export interface DryRunReport {
  /** Records that would take part. */
  readonly records: number
  readonly bad: number
  /** Inputs, among the bad records, that cannot be taken for records at all. */
  readonly unreadable: number
  /** Records that skip, sample or limit leave out. */
  readonly leftOut: number
  /** The first few texts and the first few bad records. */
  readonly first: readonly string[]
  readonly firstBad: readonly BadRecordPlace[]
  /** What a journal beside the output says of an earlier run. */
  readonly earlier: { readonly ok: number; readonly failed: number; readonly outBytes: number } | undefined
  /** The output has something in it already. */
  readonly outputInTheWay: boolean
}

const SHOWN = 3
const SHOWN_CHARS = 200

/** Throws `BatchInputError` for an input that cannot be read to its end. */
export async function dryRun(options: MapFileOptions): Promise<DryRunReport> {
  const resolved = resolveMapOptions(options)
  const sources = await findInputs(resolved.in, resolved.standardInput)
  const arena = new RecordArena(2)
  const filter = new RecordFilter(await filterOptions(resolved, sources))
  const reader = openReader(arena, sources, resolved)
  const { decoding } = recordCodec(resolved)
  const first: string[] = []
  const firstBad: BadRecordPlace[] = []
  let records = 0
  let bad = 0
  let unreadable = 0
  let leftOut = 0
  try {
    reading: do {
      for (let record = reader.next(); record !== undefined; record = reader.next()) {
        if (filter.isFull) break reading
        if (!filter.takes()) leftOut++
        else {
          records++
          try {
            if (record.fault !== undefined) throw new Error(record.fault)
            const bytes = arena.view(record)
            const text = decodeText(bytes, 0, bytes.length)
            decodeRecord(text, decoding)
            if (first.length < SHOWN) first.push(text.slice(0, SHOWN_CHARS))
          } catch (error) {
            bad++
            if (record.isWholeInput) unreadable++
            const { input, line, offset } = record
            const { message } = error as Error
            if (firstBad.length < SHOWN) firstBad.push({ input: sources[input]!.name, line, offset, message })
          }
        }
        arena.release(record)
      }
    } while (await reader.advance())
  } finally {
    await reader.close()
  }
  const outState = await outputState(resolved.out)
  const earlier = await earlierRun(resolved)
  const outputInTheWay = resolved.out !== '-' && (outState?.sizeBytes ?? 0) > 0
  return { records, bad, unreadable, leftOut, first, firstBad, earlier, outputInTheWay }
}

async function earlierRun(options: ResolvedMapOptions): Promise<DryRunReport['earlier']> {
  const path = journalPath(options)
  if (path === undefined) return undefined
  const { out, resume, resumeAnyway } = options
  if (
    !(await stat(path).then(
      (info) => info.isFile(),
      () => false,
    ))
  )
    return undefined
  const state = await readJournal(path, { path: out, anyText: resume === undefined || resumeAnyway })
  return state && { ok: state.mark.ok, failed: state.failed.size, outBytes: state.mark.outOff }
}
