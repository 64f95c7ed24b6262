/**
 * The journal: JSON lines, appended only. The first line says what the run is. Then come groups: notes on records, closed by a mark.
 * Only whole groups count; a group is written after everything it speaks of is durable in the output.
 */

import type { ChecksumPoint } from '../input/input-checksum.js'

export const JOURNAL_VERSION = 1

/** What an input looked like when the run began. */
export interface InputPrint {
  readonly path: string
  /** Missing for a stream. */
  readonly sizeBytes?: number
  readonly mtimeMs?: number
  /** SHA-256 of the first MiB (of the raw bytes). */
  readonly headSha256?: string
}

export interface RunLine {
  readonly v: typeof JOURNAL_VERSION
  readonly type: 'run'
  readonly runId: string
  readonly inputs: readonly InputPrint[]
  /** What must be the same when the run is taken up, such as the name of the task. */
  readonly identity: Readonly<Record<string, string>>
  /** What may change: a change is reported as a warning. An example is the hash of the module. */
  readonly versions: Readonly<Record<string, string>>
  /** The file of failed records, if there is one. */
  readonly errors: string | null
  /** Options that decide which records there are and what their lines look like. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly key: string | null
}

/** A record that is done: its line is in the output, or it is passed over as bad. In order, the mark says it all, and only
 * records that had failed before have such a line. */
export interface DoneLine {
  readonly type: 'done'
  readonly k: string
  readonly in: number
  readonly off: number
  readonly try: number
}

/** A record that failed. */
export interface FailLine {
  readonly type: 'fail'
  readonly k: string
  readonly in: number
  readonly off: number
  readonly try: number
  /** False when the failure was not the record's, so that a resumed run tries again unasked. */
  readonly final: boolean
  /** Its line in the errors file: that file can be written anew from these. */
  readonly entry: unknown
}

/** Everything before this place in the inputs is finished or noted as failed; the files are durable up to here. */
export interface MarkLine {
  readonly type: 'mark'
  readonly in: number
  readonly inOff: number
  readonly records: number
  readonly ok: number
  readonly failed: number
  readonly skipped: number
  readonly outOff: number
  /** CRC-32 of the output up to there. */
  readonly outCrc: number
  /** Checksum of the text of input `in` up to a place not behind `inOff`. */
  readonly crc?: ChecksumPoint
}

export type JournalLine = RunLine | DoneLine | FailLine | MarkLine

/** A line of the journal, or `undefined` for a torn or unknown line. */
export function parseJournalLine(text: string): JournalLine | undefined {
  try {
    const line: unknown = JSON.parse(text)
    if (typeof line !== 'object' || line === null) return undefined
    const { type, v } = line as { type?: unknown; v?: unknown }
    if (type === 'run') return v === JOURNAL_VERSION ? (line as RunLine) : undefined
    return type === 'done' || type === 'fail' || type === 'mark' ? (line as JournalLine) : undefined
  } catch {
    return undefined
  }
}
