/**
 * The file of failed records holds one line for each record that counts as failed. While a run goes on, lines are only appended. When
 * it begins and when it ends, the file is brought to what the journal says: the journal holds every line too, so the
 * file may be cut, lost or out of date at any moment, and nothing about a failure is lost.
 */

import { constants, createReadStream } from 'node:fs'
import { access, type FileHandle, open, realpath, rename, rm, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BatchOutputError, JournalError } from '../options/batch-errors.js'
import { failureEntries, type NotedFailure } from './journal-state.js'

export interface ErrorsFileRequest {
  readonly path: string
  readonly journal: string
  readonly failed: ReadonlyMap<string, NotedFailure>
  /** Throws when this run must not write any more. Asked right before anything is replaced. */
  readonly guard: () => void
}

export interface RestoredErrors {
  /** Size of the file according to the journal. Bytes behind it are ignored. */
  readonly bytes: number
  /** A description of the difference, if there was one. */
  readonly difference: string | undefined
}

/** How each of its lines begins. */
const LINE_HEAD = '{"id":'

/** Lines are written in pieces of this many characters. */
const PIECE_CHARS = 2 ** 18

/**
 * Makes the file hold what the journal says, in its order. A file that begins so already is left alone; any other is
 * replaced at once, by renaming. Throws `JournalError` for a file with something else in it, `BatchOutputError` when it cannot be written.
 */
export async function restoreErrorsFile(request: ErrorsFileRequest): Promise<RestoredErrors> {
  // The file itself is to be replaced, not a link to it.
  const path = await realpath(request.path).catch(() => request.path)
  const fresh = await freshName(path, request.journal)
  try {
    const bytes = await writeEntries(fresh, request)
    const difference = await differenceOf(path, fresh, bytes)
    await refuseForeignText(path, request.path, difference === undefined ? bytes : 0)
    request.guard()
    if (difference === undefined) {
      // Lines behind are of a run that was killed, or were written again since.
      await truncate(path, bytes).catch(() => undefined)
      return { bytes, difference }
    }
    await replace(path, fresh)
    return { bytes, difference: `${request.path} ${difference}; it was written anew from the journal` }
  } catch (error) {
    if (error instanceof JournalError || error instanceof BatchOutputError) throw error
    throw new BatchOutputError(`cannot write ${request.path}`, error)
  } finally {
    await rm(fresh, { force: true })
  }
}

/** Beside the file, so that it can be renamed; where nothing may be made there, beside the journal. */
async function freshName(path: string, journal: string): Promise<string> {
  const canMake = await access(dirname(path), constants.W_OK).then(
    () => true,
    () => false,
  )
  return canMake ? `${path}.evenkeel-new` : `${journal}.evenkeel-new`
}

async function writeEntries(fresh: string, { journal, failed }: ErrorsFileRequest): Promise<number> {
  // Left behind by a run that was killed; nothing that somebody planted there is followed or written to.
  await rm(fresh, { force: true })
  const file = await open(fresh, 'wx')
  try {
    let bytes = 0
    let piece = ''
    const write = async (): Promise<void> => {
      const buffer = Buffer.from(piece)
      piece = ''
      await file.writeFile(buffer)
      bytes += buffer.length
    }
    for await (const entry of failureEntries(journal, failed.values())) {
      piece += `${entry}\n`
      if (piece.length >= PIECE_CHARS) await write()
    }
    await write()
    await file.sync()
    return bytes
  } finally {
    await file.close()
  }
}

/** Whether the file begins with the first `bytes` bytes of the fresh one; if not, in which way. */
async function differenceOf(path: string, fresh: string, bytes: number): Promise<string | undefined> {
  const sizeBytes = await stat(path).then(
    ({ size }) => size,
    () => undefined,
  )
  if (sizeBytes === undefined) return bytes === 0 ? undefined : 'is gone'
  if (sizeBytes < bytes) return 'is shorter than the journal says'
  const wanted = createReadStream(fresh)[Symbol.asyncIterator]()
  try {
    let rest: Buffer = Buffer.alloc(0)
    for await (const chunk of bytes === 0 ? [] : createReadStream(path, { end: bytes - 1 })) {
      let found = chunk as Buffer
      while (found.length > 0) {
        if (rest.length === 0) rest = ((await wanted.next()).value as Buffer | undefined) ?? Buffer.alloc(0)
        const length = Math.min(rest.length, found.length)
        if (length === 0 || !rest.subarray(0, length).equals(found.subarray(0, length)))
          return 'has other lines than the journal'
        rest = rest.subarray(length)
        found = found.subarray(length)
      }
    }
  } finally {
    await wanted.return?.()
  }
  return undefined
}

/** The text that will be cut off or replaced must be lines of failed records, or the remains of a power failure. */
async function refuseForeignText(path: string, name: string, from: number): Promise<void> {
  const file = await open(path, 'r').catch(() => undefined)
  if (file === undefined) return
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LINE_HEAD.length), 0, LINE_HEAD.length, from)
    if (buffer[0] === 0 || LINE_HEAD.startsWith(buffer.toString('latin1', 0, bytesRead))) return
  } finally {
    await file.close()
  }
  throw new JournalError(
    `${name} is not the file of failed records that this run had; move it away, or start afresh with --force`,
  )
}

async function replace(path: string, fresh: string): Promise<void> {
  const mode = await stat(path).then(
    (info) => info.mode & 0o777,
    () => undefined,
  )
  const file = await open(fresh, 'r+')
  try {
    if (mode !== undefined) await file.chmod(mode).catch(() => undefined)
    await rename(fresh, path).catch((error: NodeJS.ErrnoException) => copyOver(file, path, error))
  } finally {
    await file.close()
  }
}

/** A file that is mounted by itself, or that lies in a folder where nothing may be made, cannot be replaced: only its text. */
async function copyOver(from: FileHandle, path: string, reason: NodeJS.ErrnoException): Promise<void> {
  if (!['EBUSY', 'EXDEV', 'EPERM', 'EACCES'].includes(reason.code ?? '')) throw reason
  const file = await open(path, 'w')
  try {
    for await (const chunk of from.createReadStream({ autoClose: false, start: 0 }))
      await file.writeFile(chunk as Buffer)
    await file.sync()
  } finally {
    await file.close()
  }
}
