/**
 * Raw bytes of one input: a file, a pipe, a terminal, or a stream. It is opened when its turn comes and closed at its
 * end or by `close`, never by the garbage collector. Chunks are valid until the next one is asked for.
 */

import { close as closeFile, constants, createReadStream, fstatSync, open as openFile } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { isatty, ReadStream } from 'node:tty'
import { promisify } from 'node:util'
import { BatchInputError } from '../options/batch-errors.js'

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
async function* readFile(path: string, sizeBytes: number): AsyncGenerator<Buffer> {
  const file = await open(path, 'r')
  let reading: Promise<{ bytesRead: number }> | undefined
  try {
    let current = Buffer.allocUnsafeSlow(CHUNK_SIZE_BYTES)
    let ahead = Buffer.allocUnsafeSlow(CHUNK_SIZE_BYTES)
    reading = file.read(current, 0, CHUNK_SIZE_BYTES, null)
    for (;;) {
      const { bytesRead } = await reading
      if (bytesRead === 0) {
        const { size } = await file.stat()
        if (size < sizeBytes) throw new Error(`it had ${sizeBytes} bytes and was cut to ${size} while it was read`)
        return
      }
      const full = current
      reading = file.read(ahead, 0, CHUNK_SIZE_BYTES, null)
      // A failure of the read-ahead is thrown by the read that needs it.
      reading.catch(() => undefined)
      yield full.subarray(0, bytesRead)
      current = ahead
      ahead = full
    }
  } finally {
    await reading?.catch(() => undefined)
    await file.close()
  }
}

/**
 * A pipe or terminal, read through the event loop: a blocking call in Node's file threads could neither be stopped nor
 * outlived by the process. Not to block, it opens a FIFO before anybody writes, and then waits for the first writer.
 */
function waitingSource(path: string): ByteSource {
  let stream: Readable | undefined
  let isClosed = false
  return {
    name: path,
    sizeBytes: undefined,
    async *chunks() {
      const fd = await promisify(openFile)(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
      if (isClosed) {
        closeFile(fd, () => undefined)
        return
      }
      // A plain descriptor, because a `FileHandle` would close it when collected, or a file that has its number by
      // then.
      stream = streamOf(fd)
      yield* stream as AsyncIterable<Buffer>
    },
    close: () => {
      isClosed = true
      stream?.destroy()
    },
  }
}

/**
 * Terminals and pipes wait for somebody; every other device gives something or ends at once, and is read like a file.
 */
function streamOf(fd: number): Readable {
  if (isatty(fd)) return new ReadStream(fd)
  if (fstatSync(fd).isFIFO()) return new Socket({ fd, readable: true, writable: false })
  return createReadStream('', { fd, highWaterMark: CHUNK_SIZE_BYTES })
}

/** Throws `BatchInputError` when there is nothing at the path, or nothing that can be read. Opens nothing. */
export async function fileSource(path: string): Promise<ByteSource> {
  const info = await stat(path).catch((error: unknown) => {
    throw new BatchInputError(`cannot read ${path}: ${(error as Error).message}`, path, { cause: error })
  })
  const wrong = info.isDirectory() ? 'a directory' : info.isSocket() ? 'a socket' : undefined
  if (wrong !== undefined) throw new BatchInputError(`cannot read ${path}: it is ${wrong}`, path)
  if (info.isFIFO() || info.isCharacterDevice()) return waitingSource(path)
  return {
    name: path,
    sizeBytes: info.isFile() ? info.size : undefined,
    chunks: () => readFile(path, info.isFile() ? info.size : 0),
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
