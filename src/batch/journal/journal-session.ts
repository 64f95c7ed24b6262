/** Opens the journal of a run: a fresh one, or that of an earlier run, if its inputs are still the same. */

import { createHash } from 'node:crypto'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ByteSource } from '../input/byte-source.js'
import { BatchOutputError, BatchUsageError, JournalError } from '../options/batch-errors.js'
import type { ResumePolicy } from '../options/map-options.js'
import type { outputState } from '../output/output-file.js'
import { type InputPrint, JOURNAL_VERSION, type RunLine } from './journal-format.js'
import { type JournalState, readJournal, START_MARK } from './journal-state.js'
import { RunLock } from './run-lock.js'

export interface JournalRequest {
  readonly path: string
  readonly out: string
  /** What is at the output's place now. */
  readonly outState: Awaited<ReturnType<typeof outputState>>
  readonly resume: ResumePolicy | undefined
  readonly resumeAnyway: boolean
  readonly force: boolean
  readonly run: Omit<RunLine, 'v' | 'type'>
}

export interface JournalSession {
  readonly file: FileHandle
  readonly path: string
  /** Bytes of the journal that are there. */
  readonly offset: number
  /** What earlier runs proved; `undefined` for a fresh start. */
  readonly state: JournalState | undefined
  /** Bytes of the output to keep, and their CRC-32. */
  readonly outBytes: number
  readonly outCrc: number
  /** Changes since the earlier run that do not prevent a resume, in words. */
  readonly notes: readonly string[]
  /** Throws when another run took this one's place: then nothing may be written any more. */
  readonly guard: () => void
  close(): Promise<void>
}

/** Throws `BatchUsageError` for an output in the way, `JournalError` for a journal that does not fit or is in use. */
export async function openJournal(request: JournalRequest): Promise<JournalSession> {
  const lock = await RunLock.take(`${request.path}.lock`)
  try {
    const { path, resume, outState } = request
    const outBytes = outState?.sizeBytes ?? 0
    const exists =
      resume !== undefined &&
      (await stat(path).then(
        () => true,
        () => false,
      ))
    const output = { path: request.out, anyText: request.resumeAnyway }
    const state = exists ? await readJournal(path, output) : undefined
    const notes: string[] = []
    if (state !== undefined) notes.push(...compare(request, state))
    else {
      refuseToOverwrite(request, outBytes)
      if (!request.force) await refuseForeignFile(path)
    }
    const file = await open(path, state === undefined ? 'w' : 'r+').catch((error: unknown) => {
      throw new BatchOutputError(`cannot write ${path}`, error)
    })
    try {
      return await begin(request, state, file, lock, notes)
    } catch (error) {
      await file.close()
      throw error instanceof BatchOutputError ? error : new BatchOutputError(`cannot write ${path}`, error)
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

export function refuseToOverwrite(
  { out, force, resume }: Pick<JournalRequest, 'out' | 'force' | 'resume'>,
  outBytes: number,
): void {
  if (outBytes === 0 || force) return
  throw new BatchUsageError(
    resume === undefined
      ? `${out} is not empty; --resume takes up the run that wrote it, --force overwrites it`
      : `${out} is not empty, but there is no journal of the run that wrote it; --force overwrites it`,
  )
}

/** The beginning of every journal. A journal torn early holds a part of it. */
const JOURNAL_HEAD = JSON.stringify({ v: JOURNAL_VERSION, type: 'run' }).slice(0, -1)

/** A file that is no journal was named by mistake, so it is refused. */
async function refuseForeignFile(path: string): Promise<void> {
  const file = await open(path, 'r').catch(() => undefined)
  if (file === undefined) return
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(JOURNAL_HEAD.length), 0, JOURNAL_HEAD.length, 0)
    if (JOURNAL_HEAD.startsWith(buffer.toString('latin1', 0, bytesRead))) return
  } finally {
    await file.close()
  }
  throw new BatchUsageError(`${path} is there and is no journal; --force overwrites it`)
}

/** What differs by name, in words. */
function differences(before: Readonly<Record<string, unknown>>, now: Readonly<Record<string, unknown>>): string[] {
  const textOf = (value: unknown): string => JSON.stringify(value) ?? 'not given'
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].flatMap((name): string[] => {
    const [was, is] = [textOf(before[name]), textOf(now[name])]
    return was === is ? [] : [`${name} was ${was}, is ${is}`]
  })
}

/** Throws for another input or other options; gives what else has changed. */
function compare(
  { run, resumeAnyway, path, out }: JournalRequest,
  { run: before, isCut, mark }: JournalState,
): string[] {
  const advice = 'start afresh with --force, or go on with --resume-anyway'
  const options = differences({ ...before.settings, key: before.key }, { ...run.settings, key: run.key })
  if (options.length > 0) {
    throw new JournalError(`${path} belongs to a run with other options: ${options.join(', ')}; resume with the same`)
  }
  const notes = versionNotes(before, run)
  if (isCut)
    notes.push(`${out} is shorter than ${path} says: what came after its first ${mark.outOff} bytes is done again`)
  if (before.errors !== null && before.errors !== run.errors) {
    notes.push(`${before.errors}, where the earlier run put failed records, stays as it is`)
  }
  if (resumeAnyway) return notes
  const inputs = inputDifference(before.inputs, run.inputs)
  if (inputs !== undefined) throw new JournalError(`the input is not the one of ${path}: ${inputs}; ${advice}`)
  for (const [name, value] of Object.entries(run.identity)) {
    if (before.identity[name] !== value) {
      throw new JournalError(`the ${name} is not the one of ${path}: it was ${before.identity[name]}; ${advice}`)
    }
  }
  return notes
}

/** A changed module is allowed: users mend the module and resume the run. */
function versionNotes({ versions: before = {} }: RunLine, { versions: now }: JournalRequest['run']): string[] {
  const changed = Object.keys(now).filter((name) => before[name] !== undefined && before[name] !== now[name])
  if (changed.length === 0) return []
  return [`changed since the earlier run: ${changed.join(', ')}; what is done stays as it is`]
}

async function begin(
  request: JournalRequest,
  state: JournalState | undefined,
  file: FileHandle,
  lock: RunLock,
  notes: readonly string[],
): Promise<JournalSession> {
  let offset: number
  if (state === undefined) {
    const line: RunLine = { v: JOURNAL_VERSION, type: 'run', ...request.run }
    offset = await append(file, 0, JSON.stringify(line))
    // The name must outlive a power failure as well, before there is any output that the journal has to explain.
    await syncFolder(dirname(request.path))
  } else {
    await file.truncate(state.journalBytes)
    offset = state.journalBytes
  }
  const mark = state?.mark ?? START_MARK
  return {
    file,
    path: request.path,
    offset,
    state,
    outBytes: mark.outOff,
    outCrc: state?.outCrc ?? 0,
    notes,
    guard: () => lock.check(),
    close: async () => {
      await file.close()
      await lock.release()
    },
  }
}

/** Writes a line durably; the offset behind it. */
async function append(file: FileHandle, offset: number, line: string): Promise<number> {
  const bytes = Buffer.from(`${line}\n`)
  await file.write(bytes, 0, bytes.length, offset)
  await file.datasync()
  return offset + bytes.length
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined)
  // Some systems cannot sync a folder; the files themselves are synced in any case.
  await folder?.sync().catch(() => undefined)
  await folder?.close()
}

/** How much of an input is hashed, to tell on resume whether it is still the same. */
const HEAD_BYTES = 2 ** 20

/** Reads at most the first MiB of a regular file; a stream has only its name. */
export async function inputPrint({ name, sizeBytes }: ByteSource): Promise<InputPrint> {
  if (sizeBytes === undefined) return { path: name }
  const file = await open(name, 'r')
  try {
    const { mtimeMs } = await file.stat()
    const head = Buffer.alloc(Math.min(HEAD_BYTES, sizeBytes))
    const { bytesRead } = await file.read(head, 0, head.length, 0)
    const headSha256 = createHash('sha256').update(head.subarray(0, bytesRead)).digest('hex')
    return { path: name, sizeBytes, mtimeMs, headSha256 }
  } finally {
    await file.close()
  }
}

/** What differs between two lists of inputs, in words, or `undefined`. A new time stamp or name alone is no difference. */
export function inputDifference(before: readonly InputPrint[], now: readonly InputPrint[]): string | undefined {
  if (before.length !== now.length) return `there were ${before.length} inputs, now there are ${now.length}`
  for (const [index, one] of before.entries()) {
    const other = now[index]!
    const was = `${one.path} of ${one.sizeBytes ?? 'an unknown number of'} bytes`
    const is = `${other.path} of ${other.sizeBytes ?? 'an unknown number of'} bytes`
    if (one.sizeBytes !== other.sizeBytes) return `the input was ${was}, and is ${is} now`
    if (one.headSha256 !== other.headSha256) {
      return one.path === other.path
        ? `the beginning of ${one.path} has changed`
        : `the input was ${was}, and is ${is} now`
    }
  }
  return undefined
}
