/** The journal's part in a run: the results of earlier runs, and the notes for later ones. Without a journal it is empty. */

import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ByteSource } from '../input/byte-source.js'
import { TextChecksums } from '../input/input-checksum.js'
import { BatchUsageError, JournalError } from '../options/batch-errors.js'
import { journalPath, type ResolvedMapOptions, type ResumePolicy } from '../options/map-options.js'
import type { outputState } from '../output/output-file.js'
import type { InputPosition, InputRecord } from '../records/record.js'
import type { RecordArena } from '../records/record-arena.js'
import { type RestoredErrors, restoreErrorsFile } from './errors-file.js'
import { inputPrint, type JournalSession, openJournal, refuseToOverwrite } from './journal-session.js'
import { isBefore, type JournalState, readJournal, START_MARK } from './journal-state.js'
import { JournalWriter } from './journal-writer.js'
import { ContentKeys, placeKey } from './record-key.js'

/** `undefined` when there is no such file, or it cannot be rewritten, as a pipe cannot. */
async function bringErrorsUpToDate(
  { errors: path }: ResolvedMapOptions,
  { path: journal, state, guard }: JournalSession,
): Promise<RestoredErrors | undefined> {
  if (path === undefined) return undefined
  const isOther = await stat(path).then(
    (info) => !info.isFile(),
    () => false,
  )
  if (isOther) return undefined
  // A fresh run writes it anew, whatever is there.
  if (state === undefined) return { bytes: 0, difference: undefined }
  return restoreErrorsFile({ path, journal, failed: state.failed, guard })
}

export class RunHistory {
  readonly journal: JournalWriter | undefined
  /** What has changed since the earlier run, in words. */
  readonly notes: readonly string[]
  /** Throws when nothing may be written any more; asked before every write. */
  readonly guard: (() => void) | undefined
  /** Bytes of the errors file that stay. */
  readonly errorsBytes: number
  /** Present when the text must be summed up for the journal. */
  readonly checksums: TextChecksums | undefined
  readonly #session: JournalSession | undefined
  readonly #plan: ResumePlan | undefined
  /** The errors file, when it must agree with the journal. */
  readonly #errorsPath: string | undefined
  readonly #keys: ContentKeys | undefined
  readonly #arena: RecordArena
  /** Every record needs its name at once: finished ones are noted singly. */
  readonly #namesAll: boolean

  private constructor(
    options: ResolvedMapOptions,
    session: JournalSession | undefined,
    ordered: boolean,
    arena: RecordArena,
    errors: RestoredErrors | undefined = undefined,
  ) {
    this.#errorsPath = errors === undefined ? undefined : options.errors
    this.errorsBytes = errors?.bytes ?? 0
    this.notes = [...(session?.notes ?? []), ...(errors?.difference === undefined ? [] : [errors.difference])]
    this.guard = session?.guard
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
      earlier: { ...(state?.mark ?? START_MARK), failed: state?.failed.size ?? 0 },
      notesDone: this.#namesAll,
      wasFailed: (name) => plan?.wasFailed(name) ?? false,
      nameOf,
      guard: session.guard,
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
    const { out, journal, resume, resumeAnyway, force, identity, versions, keepOrder = true } = options
    const canBeTakenUp = out !== '-' && outState?.isRegular !== false
    if (!canBeTakenUp && (resume !== undefined || typeof journal === 'string')) {
      throw new BatchUsageError('a journal needs an output that is a regular file: --out FILE')
    }
    const path = journalPath(options)
    if (!canBeTakenUp || path === undefined) {
      if (resume !== undefined) throw new BatchUsageError('to resume a run takes its journal')
      if (canBeTakenUp) refuseToOverwrite({ out, force, resume }, outState?.sizeBytes ?? 0)
      return new RunHistory(options, undefined, keepOrder, arena)
    }
    const { task, format, raw, delimiter, output, envelope, skip, sample, seed } = options
    const settings = { task, format, raw, delimiter, output, envelope, skip, sample, seed }
    const run = {
      runId: randomUUID(),
      inputs: await Promise.all(sources.map(inputPrint)),
      identity,
      versions,
      errors: options.errors === undefined ? null : resolve(options.errors),
      settings,
      key: options.key ?? null,
    }
    const session = await openJournal({ path, out, outState, resume, resumeAnyway, force, run })
    try {
      const restored = await bringErrorsUpToDate(options, session)
      return new RunHistory(options, session, keepOrder, arena, restored)
    } catch (error) {
      await session.close()
      throw error
    }
  }

  /** Everything before this place was finished by earlier runs. */
  get start(): InputPosition {
    const mark = this.#session?.state?.mark ?? START_MARK
    return { input: mark.in, offset: mark.inOff, records: mark.records }
  }

  get path(): string | undefined {
    return this.#session?.path
  }

  /** Bytes of the output that stay. */
  get outBytes(): number {
    return this.#session?.outBytes ?? 0
  }

  /** CRC-32 of the output that stays, or `undefined` when nobody asks for it. */
  get outCrc(): number | undefined {
    return this.#session?.outCrc
  }

  /** Once everything is written: records that were mended leave the errors file. Throws `BatchOutputError`. */
  async tidyErrors(): Promise<void> {
    if (this.journal?.hasMended !== true || this.#errorsPath === undefined || this.path === undefined) return
    const state = await readJournal(this.path)
    const request = {
      path: this.#errorsPath,
      journal: this.path,
      failed: state?.failed ?? new Map(),
      guard: this.#session!.guard,
    }
    await restoreErrorsFile(request)
  }

  /** Names the record as far as this run needs it; true when an earlier run finished it. */
  passesOver(record: InputRecord): boolean {
    if (this.#keys !== undefined) record.key = this.#keys.keyOf(record)
    if (this.#namesAll) record.journalKey = this.#nameOf(record)
    return this.#plan?.passesOver(record) ?? false
  }

  /** True when no record must be looked up or named any more, so records can be handled in groups and only counted. */
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

export interface ResumeOptions {
  readonly state: JournalState
  readonly policy: ResumePolicy
  readonly checksums: TextChecksums
  /** Name of a record in the journal; reads its text. */
  readonly nameOf: (record: InputRecord) => string
}

/** Which records of the input a resumed run passes over. */
export class ResumePlan {
  /** True once the reader is past everything that earlier runs recorded. It never becomes false again. */
  isPast = false
  readonly #options: ResumeOptions
  /** Records that failed without a fault of theirs are done again under every policy. */
  readonly #hasRedo: boolean

  constructor(options: ResumeOptions) {
    this.#options = options
    this.#hasRedo = [...options.state.failed.values()].some(({ final }) => !final)
  }

  wasFailed(name: string): boolean {
    return this.#options.state.failed.has(name)
  }

  /** Whether the record is to be passed over. Throws `JournalError` when the text is not what the journal saw. */
  passesOver(record: InputRecord): boolean {
    const { state, policy, nameOf } = this.#options
    const before = state.run.key === null && isBefore({ in: record.input, off: record.offset }, state.mark)
    if (!before) this.checkText()
    if (before && !this.#hasRedo && (policy === 'unfinished' || state.failed.size === 0)) return true
    if (!before && state.failed.size === 0 && state.done.size === 0) {
      this.isPast = policy !== 'failed'
      return !this.isPast
    }
    const name = nameOf(record)
    record.journalKey = name
    const failure = state.failed.get(name)
    if (failure !== undefined) return policy === 'unfinished' && failure.final
    return before || state.done.has(name) || policy === 'failed'
  }

  /** Call it at the end of the input, too: a text that ends before the mark's place is another text. */
  checkText(): void {
    const { state, checksums } = this.#options
    if (state.run.key !== null || checksums.agrees === true) return
    throw new JournalError(
      'the input was changed in a part that is already finished; only a run with --key can go on from there',
    )
  }
}
