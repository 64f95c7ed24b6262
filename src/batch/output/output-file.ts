/** Where results go: a file of the run's own, standard output, or something that can only be written in order. */

import { close as closeFile, constants, fstat, open as openFile, type Stats } from 'node:fs'
import { access, type FileHandle, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { Clock, Timer } from '../../base/clock.js'
import { BatchOutputError, BatchUsageError } from '../options/batch-errors.js'

const STANDARD_OUTPUT = '-'

export interface OutputFile {
  /** The descriptor, known at once unless a FIFO has no reader yet. Rejects with `BatchOutputError`. */
  readonly fd: number | Promise<number>
  readonly name: string
  /** A regular file opened here: it can be positioned, cut and made durable. */
  readonly isRegular: boolean
  /** Offset at which writing goes on, for a regular file. */
  readonly offset: number | undefined
  /** May be called again. Gives up the wait for a reader. */
  close(): Promise<void>
}

/** How often a FIFO that nobody reads is tried again. */
const TRY_AGAIN_MS = 20

/** Names that promise a compression which is not done. */
const COMPRESSED = /\.(gz|gzip|tgz|bz2|xz|zst|lz4|lz|br|zip|7z|Z)$/

/**
 * The state of the output before anything is opened; `undefined` if there is nothing. Throws `BatchOutputError` for a
 * place that cannot be written, before any other file of the run is touched.
 */
export async function outputState(path: string): Promise<{ isRegular: boolean; sizeBytes: number } | undefined> {
  const descriptor = DESCRIPTORS.get(path)
  if (descriptor !== undefined) return shapeOf(await promisify(fstat)(descriptor.fd))
  await refuseCompressed(path)
  try {
    const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (info?.isDirectory()) throw Object.assign(new Error('it is a directory'), { code: 'EISDIR' })
    if (info?.isSocket()) throw Object.assign(new Error('it is a socket'), { code: 'ENXIO' })
    await access(info === undefined ? dirname(path) : path, constants.W_OK)
    return info && shapeOf(info)
  } catch (error) {
    throw new BatchOutputError(`cannot write ${path}`, error)
  }
}

function shapeOf(info: Stats): { isRegular: boolean; sizeBytes: number } {
  return { isRegular: info.isFile(), sizeBytes: info.isFile() ? info.size : 0 }
}

async function refuseCompressed(path: string): Promise<void> {
  if (!COMPRESSED.test(path)) return
  const info = await stat(path).catch(() => undefined)
  if (info !== undefined && !info.isFile()) return
  throw new BatchUsageError(
    `${path}: results are not compressed; name the file without that ending, or write to - and compress what comes`,
  )
}

/**
 * Opens for writing behind the first `keepBytes`; the rest of a regular file is cut off. Anything else is opened for
 * writing only, so that a leaving reader is noticed. A FIFO is opened once somebody reads it; that is not
 * waited for here. Throws `BatchOutputError`.
 */
export async function openOutput(path: string, keepBytes: number, clock: Clock): Promise<OutputFile> {
  const descriptor = DESCRIPTORS.get(path)
  if (descriptor !== undefined) {
    return {
      fd: descriptor.fd,
      name: descriptor.name,
      isRegular: false,
      offset: undefined,
      close: async () => undefined,
    }
  }
  const info = await stat(path).catch(() => undefined)
  if (info?.isFIFO()) return new OutputPipe(path, clock)
  const file = await openForWriting(path, info)
  try {
    const isRegular = (await file.stat()).isFile()
    if (isRegular) await file.truncate(keepBytes)
    let closing: Promise<void> | undefined
    const close = (): Promise<void> => {
      closing ??= file.close()
      return closing
    }
    return { fd: file.fd, name: path, isRegular, offset: isRegular ? keepBytes : undefined, close }
  } catch (error) {
    await file.close()
    throw new BatchOutputError(`cannot write ${path}`, error)
  }
}

/** Descriptors that the process has open already. They may be sockets, which cannot be opened by name. */
const DESCRIPTORS: ReadonlyMap<string, { readonly fd: number; readonly name: string }> = new Map([
  [STANDARD_OUTPUT, { fd: 1, name: 'standard output' }],
  ['/dev/stderr', { fd: 2, name: 'standard error' }],
  ['/dev/fd/2', { fd: 2, name: 'standard error' }],
])

async function openForWriting(path: string, info: Stats | undefined): Promise<FileHandle> {
  // Neither truncates nor fails when the file is there: what to keep was decided before.
  const { O_WRONLY, O_CREAT, O_NOCTTY } = constants
  const flags = info === undefined || info.isFile() ? O_WRONLY | O_CREAT : O_WRONLY | O_NOCTTY
  return open(path, flags, 0o666).catch((error: unknown) => {
    throw new BatchOutputError(`cannot write ${path}`, error)
  })
}

/** The write ends of pipes that a shell left open here for us, as in `--out >(head)`. */
const INHERITED = /^\/(dev|proc\/(self|\d+))\/fd\/\d+$/

/** A FIFO. Opening it must not block: a call that blocks one of Node's file threads keeps the process from ending. */
class OutputPipe implements OutputFile {
  readonly name: string
  readonly isRegular = false
  readonly offset = undefined
  readonly fd: Promise<number>
  readonly #clock: Clock
  #opened: number | undefined
  #timer: Timer | undefined
  #isClosed = false
  #giveUp: (error: BatchOutputError) => void = () => undefined

  constructor(path: string, clock: Clock) {
    this.name = path
    this.#clock = clock
    this.fd = new Promise((resolve, reject) => {
      this.#giveUp = reject
      this.#open(resolve, reject)
    })
    // The writer gets this error; if nothing is written, nothing is lost.
    this.fd.catch(() => undefined)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.stop()
    this.#giveUp(new BatchOutputError(`cannot write ${this.name}`, new Error('nobody reads it')))
    if (this.#opened === undefined) return
    const fd = this.#opened
    this.#opened = undefined
    await promisify(closeFile)(fd)
  }

  #open(resolve: (fd: number) => void, reject: (error: BatchOutputError) => void): void {
    openFile(this.name, constants.O_WRONLY | constants.O_NONBLOCK, (error, fd) => {
      if (error === null) {
        if (this.#isClosed) closeFile(fd, () => undefined)
        else this.#opened = fd
        resolve(fd)
      } else if (error.code !== 'ENXIO') reject(new BatchOutputError(`cannot write ${this.name}`, error))
      else if (INHERITED.test(this.name)) {
        // It had a reader when the shell made it.
        const left = Object.assign(new Error('its reader went away'), { code: 'EPIPE' })
        reject(new BatchOutputError(`cannot write ${this.name}`, left))
      } else if (!this.#isClosed) this.#timer = this.#clock.after(TRY_AGAIN_MS, () => this.#open(resolve, reject))
    })
  }
}
