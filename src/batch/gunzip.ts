/**
 * Gzip by its content, member after member (RFC 1952). Node's own gunzip throws away what it has when junk
 * follows the last member; here the data counts and the junk is a warning, as with gzip(1).
 */

import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib'
import { PeekableChunks } from './peekable-chunks.js'

const HEADER_BYTES = 10
const TRAILER_BYTES = 8
const FLAG_HEADER_CRC = 2
const FLAG_EXTRA = 4
const FLAG_NAME = 8
const FLAG_COMMENT = 16
const CHUNK_SIZE_BYTES = 2 ** 18

function isMagic(bytes: Buffer): boolean {
  return bytes.length >= 2 && bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** The same bytes, decompressed when they begin like gzip and untouched when not. */
export async function* decompressed(
  source: AsyncIterable<Buffer>,
  warn: (message: string) => void,
): AsyncGenerator<Buffer> {
  const input = new PeekableChunks(source)
  try {
    if (!isMagic(await input.peek(2))) {
      yield* input.rest()
      return
    }
    do yield* member(input)
    while (isMagic(await input.peek(2)))
    let junkBytes = 0
    let padding = true
    for await (const chunk of input.rest()) {
      junkBytes += chunk.length
      padding &&= chunk.every((byte) => byte === 0)
    }
    if (!padding) warn(`${junkBytes} bytes of trailing junk after the gzip data ignored`)
  } finally {
    await input.close()
  }
}

async function skipHeader(input: PeekableChunks): Promise<void> {
  const header = await input.take(HEADER_BYTES)
  if (header[2] !== 8) throw new Error(`unknown gzip compression method ${header[2]}`)
  const flags = header[3]!
  if (flags & FLAG_EXTRA) await input.take((await input.take(2)).readUInt16LE(0))
  if (flags & FLAG_NAME) await input.skipPast(0)
  if (flags & FLAG_COMMENT) await input.skipPast(0)
  if (flags & FLAG_HEADER_CRC) await input.take(2)
}

async function* member(input: PeekableChunks): AsyncGenerator<Buffer> {
  await skipHeader(input)
  const inflate = createInflateRaw({ chunkSize: CHUNK_SIZE_BYTES })
  let crc = 0
  let sizeBytes = 0
  const feeding = feed(inflate, input)
  // A failure of the feed also ends the stream and is raised by the loop below.
  feeding.catch((error: Error) => inflate.destroy(error))
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      crc = crc32(chunk, crc)
      sizeBytes += chunk.length
      yield chunk
    }
    await feeding
  } finally {
    inflate.destroy()
  }
  const trailer = await input.take(TRAILER_BYTES)
  if (trailer.readUInt32LE(0) !== crc) throw new Error('gzip checksum does not match the data')
  if (trailer.readUInt32LE(4) !== sizeBytes % 2 ** 32) throw new Error('gzip length does not match the data')
}

/** Gives the stream one chunk at a time and puts back what lies behind the end of the member. */
async function feed(inflate: InflateRaw, input: PeekableChunks): Promise<void> {
  let ended = false
  const end = new Promise<void>((resolve) => {
    const stop = (): void => {
      ended = true
      resolve()
    }
    inflate.once('end', stop).once('close', stop).once('error', stop)
  })
  while (!ended) {
    const chunk = await input.next()
    if (chunk === undefined) {
      inflate.end()
      return
    }
    const before = inflate.bytesWritten
    await Promise.race([new Promise((resolve) => inflate.write(chunk, resolve)), end])
    const used = inflate.bytesWritten - before
    if (used < chunk.length) {
      input.putBack(chunk.subarray(used))
      return
    }
  }
}
