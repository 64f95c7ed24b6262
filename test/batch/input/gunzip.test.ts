import { createGzip, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decompressed } from '../../../src/batch/input/gunzip.js'
import { memorySource } from '../scratch-folder.js'

async function read(bytes: Buffer, cuts: readonly number[] = []): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const chunk of decompressed(memorySource(bytes, cuts).chunks())) {
    parts.push(Buffer.from(chunk))
  }
  return Buffer.concat(parts)
}

describe('decompression by content', () => {
  test('gives back any text through any number of members, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(400)),
        async (texts, cuts) => {
          const text = await read(Buffer.concat(texts.map((part) => gzipSync(part))), cuts)
          expect(text.equals(Buffer.concat(texts))).toBe(true)
        },
      ),
      { numRuns: 60, seed: 7 },
    )
  })

  test('leaves alone what is not gzip, also when it is shorter than the magic number', async () => {
    for (const text of ['', 'a', 'plain text']) {
      expect((await read(Buffer.from(text), [1, 2])).toString()).toBe(text)
    }
  })

  test('reads headers with a name, a comment and extra fields', async () => {
    const gzip = gzipSync('text')
    const header = Buffer.from(gzip.subarray(0, 10))
    header[3] = 4 | 8 | 16 | 2
    const extra = Buffer.from([3, 0, 1, 2, 3])
    const bytes = Buffer.concat([header, extra, Buffer.from('name\0comment\0'), Buffer.from([0, 0]), gzip.subarray(10)])
    expect((await read(bytes, [11, 16])).toString()).toBe('text')
  })

  test('gives megabytes in pieces', async () => {
    const gzip = createGzip()
    const parts: Buffer[] = []
    gzip.on('data', (part: Buffer) => parts.push(part))
    for (let count = 0; count < 50; count++) gzip.write(Buffer.alloc(100_000, count))
    await new Promise<void>((resolve) => void gzip.end(resolve))
    expect(await read(Buffer.concat(parts))).toHaveLength(5_000_000)
  })

  test('refuses an unknown method and damaged data', async () => {
    const unknown = Buffer.from(gzipSync('text'))
    unknown[2] = 9
    await expect(read(unknown)).rejects.toThrow('method')
    const damaged = Buffer.from(gzipSync('text '.repeat(100)))
    damaged[14]! ^= 0xff
    await expect(read(damaged)).rejects.toThrow()
    const length = Buffer.from(gzipSync('text'))
    length[length.length - 2]! ^= 1
    await expect(read(length)).rejects.toThrow('length')
  })
})
