/** What a run knows of runs before it, and leaves for runs after it. Without a journal: nothing. */

import { randomUUID } from 'node:crypto'
import { BatchUsageError } from './batch-errors.js'
import type { ByteSource } from './byte-source.js'
import { inputPrint } from './input-print.js'
import { type JournalSession, openJournal, refuseToOverwrite } from './journal-session.js'
import { START_MARK } from './journal-state.js'
import { JournalWriter } from './journal-writer.js'
import type { ResolvedMapOptions } from './map-options.js'
import type { outputState } from './output-file.js'
import type { InputRecord } from './record.js'
import type { RecordArena } from './record-arena.js'
import { ContentKeys, placeKey } from './record-key.js'
import type { InputPosition } from './record-span.js'
import type { RecordJournal } from './record-writer.js'
import { ResumePlan } from './resume-plan.js'
import { TextChecksums } from './text-checksums.js'

export class RunHistory {
  readonly journal: RecordJournal | undefined
  /** Present when the text must be summed up for the journal. */
  readonly checksums: TextChecksums | undefined
  readonly #session: JournalSession | undefined
  readonly #plan: ResumePlan | undefined
  readonly #keys: ContentKeys | undefined
  readonly #arena: RecordArena
  /** Every record needs its name at once: finished ones are noted singly. */
  readonly #namesAll: boolean

  private constructor(
    options: ResolvedMapOptions,
    session: JournalSession | undefined,
    ordered: boolean,
    arena: RecordArena,
  ) {
    this.#session = session
    this.#arena = arena
    this.#keys = options.key === undefined ? undefined : new ContentKeys(options.key, arena)
    this.#namesAll = session !== undefined && (!ordered || options.key !== undefined)
    if (session === undefined) return
    const { state } = session
    const point = state?.mark.crc
    const expected = state === undefined || point === undefined ? undefined : { input: state.mark.in, point }
    const checksums = new TextChecksums(expected)
    this.checksums = checksums
    const nameOf = (record: InputRecord): string => this.#nameOf(record)
    const plan =
      state === undefined
        ? undefined
        : new ResumePlan({ state, policy: options.resume ?? 'unfinished', checksums, nameOf })
    this.#plan = plan
    this.journal = new JournalWriter({
      file: session.file,
      path: session.path,
      offset: session.offset,
      earlier: state?.mark ?? START_MARK,
      notesDone: this.#namesAll,
      wasFailed: (name) => plan?.wasFailed(name) ?? false,
      nameOf,
      checksumAt: (position) => checksums.at(position),
    })
  }

  /** Throws `BatchUsageError` and `JournalError`; see `openJournal`. */
  static async open(
    options: ResolvedMapOptions,
    sources: readonly ByteSource[],
    outState: Awaited<ReturnType<typeof outputState>>,
    arena: RecordArena,
  ): Promise<RunHistory> {
    const { out, journal, resume, resumeAnyway, force, identity, keepOrder = true } = options
    const canBeTakenUp = out !== '-' && outState?.isRegular !== false
    if (!canBeTakenUp && (resume !== undefined || typeof journal === 'string')) {
      throw new BatchUsageError('a journal needs an output that is a regular file: --out FILE')
    }
    if (!canBeTakenUp || journal === false) {
      if (resume !== undefined) throw new BatchUsageError('to resume a run takes its journal')
      if (canBeTakenUp) refuseToOverwrite({ out, force, resume }, outState?.sizeBytes ?? 0)
      return new RunHistory(options, undefined, keepOrder, arena)
    }
    const { task, format, raw, delimiter, output, envelope, groupSize, skip, sample, seed } = options
    const settings = { task, format, raw, delimiter, output, envelope, groupSize, skip, sample, seed }
    const run = {
      runId: randomUUID(),
      inputs: await Promise.all(sources.map(inputPrint)),
      identity,
      settings,
      key: options.key ?? null,
    }
    const path = journal ?? `${out}.journal`
    const session = await openJournal({ path, out, outState, resume, resumeAnyway, force, run })
    return new RunHistory(options, session, keepOrder, arena)
  }

  /** Everything before this place was finished by earlier runs. */
  get start(): InputPosition {
    const mark = this.#session?.state?.mark ?? START_MARK
    return { input: mark.in, offset: mark.inOff, records: mark.records }
  }

  get path(): string | undefined {
    return this.#session?.path
  }

  /** Bytes of the output and of the errors file that stay. */
  get outBytes(): number {
    return this.#session?.outBytes ?? 0
  }

  get errorsBytes(): number {
    return this.#session?.errorsBytes ?? 0
  }

  /** Names the record as far as this run needs it; true when an earlier run finished it. */
  passesOver(record: InputRecord): boolean {
    if (this.#keys !== undefined) record.key = this.#keys.keyOf(record)
    if (this.#namesAll) record.journalKey = this.#nameOf(record)
    return this.#plan?.passesOver(record) ?? false
  }

  /** Whether records need no longer be asked after one by one: each is to be done, and only how many were done is noted. */
  get takesAll(): boolean {
    return (this.#plan === undefined || this.#plan.isPast) && this.#keys === undefined && !this.#namesAll
  }

  /** Throws `JournalError` when the input ended before the place that the journal speaks of. */
  checkEnd(): void {
    this.#plan?.checkText()
  }

  async close(): Promise<void> {
    await this.#session?.close()
  }

  #nameOf(record: InputRecord): string {
    return record.journalKey ?? record.key ?? placeKey(record, this.#arena)
  }
}
