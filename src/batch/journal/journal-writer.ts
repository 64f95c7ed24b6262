/** Notes down what a run finished, group by group. */

import { fdatasync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { ChecksumPoint } from '../input/input-checksum.js'
import { BatchOutputError } from '../options/batch-errors.js'
import type { RunCounts } from '../options/batch-progress.js'
import type { RecordJournal } from '../output/record-writer.js'
import type { InputPosition, InputRecord, RecordOutcome } from '../records/record.js'
import type { DoneLine, FailLine, JournalLine, MarkLine } from './journal-format.js'

export interface JournalWriterOptions {
  readonly file: FileHandle
  readonly path: string
  /** Bytes of the journal that are there already. */
  readonly offset: number
  /** Counts of the runs before. */
  readonly earlier: RunCounts
  /** Note every finished record by its key; without it the marks alone say what is finished. */
  readonly notesDone: boolean
  /** Also for a run in order: a record that failed earlier, lies before the mark, and is done now. */
  readonly wasFailed: (key: string) => boolean
  /** Name of a record in the journal; reads its text, so only before that is released. */
  readonly nameOf: (record: InputRecord) => string
  /** Throws when another run took this one's place: then nothing may be written any more. */
  readonly guard: () => void
  readonly checksumAt: (position: InputPosition) => ChecksumPoint | undefined
}

const sync = promisify(fdatasync)

export class JournalWriter implements RecordJournal {
  readonly #options: JournalWriterOptions
  #offset: number
  #lines: string[] = []
  /** Groups of lines, each closed by its mark. */
  #closed: string[] = []
  #ok: number
  #failed: number
  #skipped: number
  #lastMark = ''
  /** Whether the errors file has lines of records that are no longer failed, or failed again. */
  hasMended = false

  constructor(options: JournalWriterOptions) {
    this.#options = options
    this.#offset = options.offset
    this.#ok = options.earlier.ok
    this.#failed = options.earlier.failed
    this.#skipped = options.earlier.skipped
  }

  /** What the files hold, all runs together. */
  get counts(): RunCounts {
    return { ok: this.#ok, failed: this.#failed, skipped: this.#skipped }
  }

  note(record: InputRecord, outcome: RecordOutcome, errorLine: string): void {
    const { notesDone, wasFailed, nameOf } = this.#options
    const { input, offset, attempts } = record
    if (outcome.type === 'unfinished') return
    if (outcome.type === 'failed') {
      const k = record.journalKey ?? nameOf(record)
      if (wasFailed(k)) this.hasMended = true
      else this.#failed++
      const line = {
        type: 'fail',
        k,
        in: input,
        off: offset,
        try: attempts,
        final: true,
        entry: null,
      } satisfies FailLine
      // The entry is JSON already.
      this.#lines.push(JSON.stringify(line).replace(/null\}$/, () => `${errorLine}}`))
      return
    }
    const k = record.journalKey ?? ''
    const mends = k !== '' && wasFailed(k)
    if (mends) {
      this.#failed--
      this.hasMended = true
    }
    if (outcome.type === 'ok') this.#ok += record.count
    else this.#skipped += record.count
    if (mends || (notesDone && outcome.type === 'ok')) {
      this.#add({ type: 'done', k, in: input, off: offset, try: attempts } satisfies DoneLine)
    }
  }

  mark(prefix: InputPosition, outOffset: number, outCrc: number): void {
    const crc = this.#options.checksumAt(prefix)
    const line = JSON.stringify({
      type: 'mark',
      in: prefix.input,
      inOff: prefix.offset,
      records: prefix.records,
      ok: this.#ok,
      failed: this.#failed,
      skipped: this.#skipped,
      outOff: outOffset,
      outCrc,
      ...(crc === undefined ? {} : { crc }),
    } satisfies MarkLine)
    if (this.#lines.length === 0 && line === this.#lastMark) return
    this.#lastMark = line
    this.#lines.push(line)
    this.#closed.push(this.#lines.join('\n'))
    this.#lines = []
  }

  async flush(): Promise<void> {
    if (this.#closed.length === 0) return
    const bytes = Buffer.from(`${this.#closed.join('\n')}\n`)
    this.#closed = []
    const { file, path, guard } = this.#options
    try {
      guard()
      let done = 0
      while (done < bytes.length) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, this.#offset + done)
        done += bytesWritten
      }
      await sync(file.fd)
    } catch (error) {
      throw new BatchOutputError(`cannot write ${path}`, error)
    }
    this.#offset += bytes.length
  }

  #add(line: JournalLine): void {
    this.#lines.push(JSON.stringify(line))
  }
}
