/**
 * Gzip by its content, member after member (RFC 1952). Node's gunzip loses decompressed data when junk follows the
 * last member. Here the data counts, and then the junk is an error: it may be a damaged member, or records that
 * somebody appended. Zeros are padding.
 */

import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib'
import { PeekableChunks } from './peekable-chunks.js'

const MAGIC = Buffer.from([0x1f, 0x8b])
const HEADER_BYTES = 10
const TRAILER_BYTES = 8
const FLAG_HEADER_CRC = 2
const FLAG_EXTRA = 4
const FLAG_NAME = 8
const FLAG_COMMENT = 16
const CHUNK_SIZE_BYTES = 2 ** 18

/** The same bytes, decompressed when they begin like gzip and untouched when not. */
export async function* decompressed(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const input = new PeekableChunks(source)
  try {
    const head = await input.peek(2)
    // A lone first byte of the magic number is a control character, so no text is taken for gzip by it.
    if (head.length === 1 && head[0] === MAGIC[0]) throw new Error('unexpected end of file')
    if (!head.equals(MAGIC)) {
      yield* input.rest()
      return
    }
    do yield* member(input)
    while (MAGIC.equals(await input.peek(2)))
    for await (const chunk of input.rest()) {
      if (chunk.some((byte) => byte !== 0)) {
        throw new Error('what follows the gzip data is not gzip; if nothing is in it, gzip -dc leaves it out')
      }
    }
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
