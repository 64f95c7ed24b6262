/** Where results go: a file of the run's own, standard output, or something that can only be written in order. */

import { constants, fstat, type Stats } from 'node:fs'
import { access, type FileHandle, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { BatchOutputError } from './batch-errors.js'

export const STANDARD_OUTPUT = '-'

export interface OutputFile {
  readonly fd: number
  readonly name: string
  /** A regular file opened here: it can be positioned, cut and made durable. */
  readonly isRegular: boolean
  /** Offset at which writing goes on, for a regular file. */
  readonly offset: number | undefined
  close(): Promise<void>
}

/**
 * What is there before anything is opened; `undefined` for nothing. Throws `BatchOutputError` for a place that cannot be
 * written: found out here, before any other file of the run is touched.
 */
export async function outputState(path: string): Promise<{ isRegular: boolean; sizeBytes: number } | undefined> {
  if (path === STANDARD_OUTPUT) return shapeOf(await promisify(fstat)(1))
  try {
    const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (info?.isDirectory()) throw Object.assign(new Error('it is a directory'), { code: 'EISDIR' })
    await access(info === undefined ? dirname(path) : path, constants.W_OK)
    return info && shapeOf(info)
  } catch (error) {
    throw new BatchOutputError(`cannot write ${path}`, error)
  }
}

function shapeOf(info: Stats): { isRegular: boolean; sizeBytes: number } {
  return { isRegular: info.isFile(), sizeBytes: info.isFile() ? info.size : 0 }
}

/**
 * Opens for writing behind the first `keepBytes`; the rest of a regular file is cut off.
 * Throws `BatchOutputError`.
 */
export async function openOutput(path: string, keepBytes: number): Promise<OutputFile> {
  if (path === STANDARD_OUTPUT) {
    return { fd: 1, name: 'standard output', isRegular: false, offset: undefined, close: async () => undefined }
  }
  const file = await openForWriting(path)
  try {
    const isRegular = (await file.stat()).isFile()
    if (isRegular) await file.truncate(keepBytes)
    return { fd: file.fd, name: path, isRegular, offset: isRegular ? keepBytes : undefined, close: () => file.close() }
  } catch (error) {
    await file.close()
    throw new BatchOutputError(`cannot write ${path}`, error)
  }
}

async function openForWriting(path: string): Promise<FileHandle> {
  try {
    // Neither truncates nor fails when the file is there: what to keep was decided before.
    return await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return open(path, 'w')
      // Pipes and devices that cannot be read.
      if (error.code === 'EACCES' || error.code === 'EINVAL' || error.code === 'ESPIPE') return open(path, 'a')
      throw error
    })
  } catch (error) {
    throw new BatchOutputError(`cannot write ${path}`, error)
  }
}
