/**
 * Everything that a settled record leaves behind: a line of output, a line in the errors file, a note in the journal.
 */

import type { RecordError } from '../../records/plain-error.js'
import type { InputPosition, InputRecord, RecordOutcome, SettledRecords } from '../records/record.js'
import type { AppendSink } from './append-sink.js'

/** What a run notes down about its records, so that it can be resumed after a crash. */
export interface RecordJournal {
  /** `errorLine`: the record's line in the errors file, if it failed; else blank. */
  note(record: InputRecord, outcome: RecordOutcome, errorLine: string): void
  /**
   * Closes a group of notes: everything noted so far is true once the output is durable up to this offset, with this
   * checksum.
   */
  mark(prefix: InputPosition, outOffset: number, outCrc: number): void
  /** Makes the groups closed so far durable. */
  flush(): Promise<void>
}

export interface RecordWriterOptions {
  readonly out: AppendSink
  readonly errors: AppendSink | undefined
  readonly journal: RecordJournal | undefined
  readonly envelope: boolean
  readonly inputNames: readonly string[]
  readonly textOf: (record: InputRecord) => Buffer
}

/** The output may run ahead of the disk or the reader by this much before no more records are started. */
const MAX_BACKLOG_BYTES = 4 * 2 ** 20

export class RecordWriter implements SettledRecords {
  /** Records that were passed on by now. */
  readonly passed = { ok: 0, failed: 0, skipped: 0 }
  readonly #options: RecordWriterOptions
  #committing: Promise<void> | undefined

  constructor(options: RecordWriterOptions) {
    this.#options = options
  }

  pass(record: InputRecord, outcome: RecordOutcome): void {
    const { out, errors, journal, envelope, inputNames } = this.#options
    if (outcome.type === 'unfinished') return
    this.passed[outcome.type] += record.count
    let line = ''
    if (outcome.type === 'ok') out.append(envelope ? envelopeLine(record, outcome) : outcome.result)
    else if (outcome.type === 'failed') {
      if (envelope) out.append(envelopeLine(record, outcome))
      if (errors !== undefined || journal !== undefined) {
        line = errorLine(record, inputNames[record.input]!, outcome.error, this.#options.textOf(record))
      }
      errors?.append(line)
    }
    journal?.note(record, outcome, line)
  }

  get isBehind(): boolean {
    const { out, errors } = this.#options
    return out.backlogBytes + (errors?.backlogBytes ?? 0) > MAX_BACKLOG_BYTES
  }

  /** Waits until the output has caught up by half. Throws `BatchOutputError`. */
  async caughtUp(): Promise<void> {
    const { out, errors } = this.#options
    await out.written(out.flush() - MAX_BACKLOG_BYTES / 2)
    await errors?.written(errors.flush() - MAX_BACKLOG_BYTES / 2)
  }

  /** Bytes that went to the output by now, counted from the start of the file. */
  get outOffset(): number {
    return this.#options.out.flushedOffset
  }

  /**
   * Makes what was passed so far durable, the output before the journal. `prefix` must be the place up to which
   * all records were passed at the moment of the call. One commit runs at a time; a second call joins it.
   */
  commit(prefix: InputPosition): Promise<void> {
    this.#committing ??= this.#commit(prefix).finally(() => {
      this.#committing = undefined
    })
    return this.#committing
  }

  /** Writes everything and, with a journal, makes it durable. */
  async finish(prefix: InputPosition): Promise<void> {
    await this.#committing?.catch(() => undefined)
    const { out, errors } = this.#options
    await Promise.all([this.commit(prefix), out.finish(), errors?.finish()])
  }

  /** The run was stopped. A pipe without a reader no longer delays it; with `now`, neither does a slow reader. */
  stop(when: 'soon' | 'now'): void {
    for (const sink of [this.#options.out, this.#options.errors]) {
      if (when === 'now') sink?.hurry()
      else sink?.stopWaiting()
    }
  }

  async #commit(prefix: InputPosition): Promise<void> {
    const { out, errors, journal } = this.#options
    const outOffset = out.flush()
    const errorsOffset = errors?.flush() ?? 0
    journal?.mark(prefix, outOffset, out.checksum)
    await Promise.all([out.written(outOffset), errors?.written(errorsOffset)])
    if (journal === undefined) return
    await Promise.all([out.sync(), errors?.sync()])
    await journal.flush()
  }
}

/** Longest input text that is repeated in the errors file, bytes. */
const MAX_REPEATED_BYTES = 2 ** 16

/** The record's id in an envelope: its key, or its number in the input from 1. */
function idOf(record: InputRecord): string | number {
  return record.key ?? record.seq + 1
}

/** A result with what happened to it; the result of a single record is JSON already. */
export function envelopeLine(record: InputRecord, outcome: RecordOutcome): string {
  const id = JSON.stringify(idOf(record))
  const attempt = Math.max(record.attempts, 1)
  if (outcome.type === 'ok') {
    const ms = Number((outcome.runMs ?? 0).toFixed(3))
    return `{"id":${id},"ok":true,"value":${outcome.result},"attempt":${attempt},"ms":${ms}}`
  }
  const error = outcome.type === 'failed' ? outcome.error : { name: 'Error', message: 'skipped' }
  return `{"id":${id},"ok":false,"error":${JSON.stringify(error)},"attempt":${attempt}}`
}

/**
 * The line of a failed record in the errors file: its place, its error and its text. With these, the failed records can
 * be corrected and run again by themselves.
 */
export function errorLine(record: InputRecord, inputName: string, error: RecordError, text: Buffer): string {
  const { line, offset, attempts } = record
  const whole = text.length > 0 && text.length <= MAX_REPEATED_BYTES
  return JSON.stringify({
    id: idOf(record),
    file: inputName,
    line,
    offset,
    attempts,
    error,
    ...(whole ? { record: text.toString() } : {}),
  })
}
