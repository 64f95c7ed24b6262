/** Raw bytes of one input: a file, a pipe, or standard input. Chunks are valid until the next one is asked for. */

import { open as openDescriptor } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { BatchInputError } from './batch-errors.js'

/** As large as a block of the arena, so that a chunk costs one copy. */
const CHUNK_SIZE_BYTES = 2 ** 18

export interface ByteSource {
  readonly name: string
  /** Size in bytes, for a regular file. */
  readonly sizeBytes: number | undefined
  chunks(): AsyncIterable<Buffer>
  /** Ends a read that waits for a pipe. */
  close(): void
}

/** Reads ahead by one chunk: the disk works while the chunk before is being split. */
async function* readFile(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r')
  try {
    let current = Buffer.allocUnsafeSlow(CHUNK_SIZE_BYTES)
    let ahead = Buffer.allocUnsafeSlow(CHUNK_SIZE_BYTES)
    let reading = file.read(current, 0, CHUNK_SIZE_BYTES, null)
    for (;;) {
      const { bytesRead } = await reading
      if (bytesRead === 0) return
      const full = current
      reading = file.read(ahead, 0, CHUNK_SIZE_BYTES, null)
      // A failure of the read ahead is raised when its turn comes.
      reading.catch(() => undefined)
      yield full.subarray(0, bytesRead)
      current = ahead
      ahead = full
    }
  } finally {
    await file.close()
  }
}

/**
 * Named pipes go through the event loop: a blocking read in Node's file threads could neither be stopped nor
 * outlived by the process. The descriptor belongs to the socket alone: a `FileHandle` would close it, or whatever has its
 * number by then, when it is collected as garbage.
 */
async function pipeSource(path: string): Promise<ByteSource> {
  const fd = await promisify(openDescriptor)(path, 'r')
  return streamSource(path, new Socket({ fd, readable: true, writable: false }))
}

/** Throws `BatchInputError` when the path cannot be read or is a directory. */
export async function fileSource(path: string): Promise<ByteSource> {
  const info = await stat(path).catch((error: unknown) => {
    throw new BatchInputError(`cannot read ${path}: ${(error as Error).message}`, path, { cause: error })
  })
  if (info.isDirectory()) throw new BatchInputError(`cannot read ${path}: it is a directory`, path)
  if (info.isFIFO()) return pipeSource(path)
  return {
    name: path,
    sizeBytes: info.isFile() ? info.size : undefined,
    chunks: () => readFile(path),
    close: () => undefined,
  }
}

export function streamSource(name: string, stream: Readable): ByteSource {
  return {
    name,
    sizeBytes: undefined,
    chunks: () => stream as AsyncIterable<Buffer>,
    close: () => {
      stream.destroy()
    },
  }
}
