import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ByteSource } from '../../../src/batch/input/byte-source.js'
import {
  type DelimitedFormat,
  DelimitedReader,
  EXACT_LINES,
  JSON_LINES,
  NUL_SEPARATED,
  PLAIN_LINES,
} from '../../../src/batch/input/delimited-reader.js'
import type { InputRecord } from '../../../src/batch/records/record.js'
import { splitStretch } from '../../../src/batch/records/record.js'
import { RecordArena } from '../../../src/batch/records/record-arena.js'
import { BLOCK_SIZE_BYTES } from '../../../src/records/record-transfer.js'
import { StretchMemory, stretchMemoryBytes } from '../../../src/records/stretch-memory.js'

interface Seen {
  text: string | undefined
  line: number
  offset: number
  endOffset: number
  input: number
}

function chunked(bytes: Buffer, cuts: readonly number[]): ByteSource {
  return {
    name: 'memory',
    sizeBytes: bytes.length,
    close: () => undefined,
    async *chunks() {
      let from = 0
      for (const cut of [...cuts.filter((at) => at < bytes.length).sort((a, b) => a - b), bytes.length]) {
        if (cut > from) yield bytes.subarray(from, cut)
        from = cut
      }
    },
  }
}

async function readAll(
  sources: ByteSource[],
  format: DelimitedFormat,
  { blocks = 4, maxRecordBytes = 2 ** 24 } = {},
): Promise<{ seen: Seen[]; arena: RecordArena }> {
  const arena = new RecordArena(blocks)
  const reader = new DelimitedReader(arena, sources, format, maxRecordBytes)
  const seen: Seen[] = []
  do {
    for (let record = reader.next(); record !== undefined; record = reader.next()) {
      const { line, offset, endOffset, input } = record
      const text = record.place === undefined ? undefined : arena.view(record).toString()
      seen.push({ text, line, offset, endOffset, input })
      arena.release(record)
    }
  } while (await reader.advance())
  await reader.close()
  return { seen, arena }
}

describe('splitting', () => {
  test('gives the same records however the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary' }).map((text) => text.replace(/[\n\r\0]/g, ''))),
        fc.boolean(),
        fc.array(fc.nat(400)),
        async (lines, finalNewline, cuts) => {
          const bytes = Buffer.from(lines.join('\n') + (finalNewline && lines.length > 0 ? '\n' : ''))
          if (bytes.length >= 2 && (bytes.readUInt16BE(0) >= 0xfeff || bytes[0] === 0xef)) return
          const expected = finalNewline || lines.at(-1) !== '' ? lines : lines.slice(0, -1)
          const { seen } = await readAll([chunked(bytes, cuts)], PLAIN_LINES)
          expect(seen.map(({ text }) => text)).toEqual(expected.map((line) => Buffer.from(line).toString()))
          for (const [index, { line }] of seen.entries()) expect(line).toBe(index + 1)
        },
      ),
      { numRuns: 200, seed: 11 },
    )
  })

  test('names line and byte offset in the file, counting what it passes over', async () => {
    const { seen } = await readAll(
      [chunked(Buffer.from('\ufeff{"i":0}\r\n\r\n{"i":1}\n \t\r\n{"i":2}'), [1, 2, 9])],
      JSON_LINES,
    )
    expect(seen).toEqual([
      { text: '{"i":0}', line: 1, offset: 3, endOffset: 12, input: 0 },
      { text: '{"i":1}', line: 3, offset: 14, endOffset: 22, input: 0 },
      { text: '{"i":2}', line: 5, offset: 26, endOffset: 33, input: 0 },
    ])
  })

  test('starts afresh with every input and ends a record at the end of an input', async () => {
    const { seen } = await readAll(
      [chunked(Buffer.from('a\nb'), []), chunked(Buffer.from('\ufeffc\n'), [])],
      PLAIN_LINES,
    )
    expect(seen.map(({ text, line, input }) => [text, line, input])).toEqual([
      ['a', 1, 0],
      ['b', 2, 0],
      ['c', 1, 1],
    ])
  })

  test('splits at NUL and keeps line feeds inside', async () => {
    const { seen } = await readAll([chunked(Buffer.from('a\nb\0\0c'), [3])], NUL_SEPARATED)
    expect(seen.map(({ text }) => text)).toEqual(['a\nb', '', 'c'])
  })

  test('says once that the lines of an input end with CR alone', async () => {
    const long = `a\r${'b\r'.repeat(200_000)}`
    for (const [format, text] of [
      [PLAIN_LINES, 'a\rb\r'],
      [PLAIN_LINES, long],
      [JSON_LINES, '1\r2\r'],
      [JSON_LINES, long],
    ] as const) {
      const { seen, arena } = await readAll([chunked(Buffer.from(text), []), chunked(Buffer.from('3\n'), [])], format, {
        maxRecordBytes: 300_000,
      })
      expect(seen.map(({ text, input }) => [text, input])).toEqual([
        [undefined, 0],
        ['3', 1],
      ])
      expect(arena.freeBlocks).toBe(4)
    }
    const kept = async (format: DelimitedFormat, text: string) =>
      (await readAll([chunked(Buffer.from(text), [])], format)).seen.length
    expect([
      await kept(EXACT_LINES, 'a\rb'),
      await kept(JSON_LINES, '{\r}\r'),
      await kept(PLAIN_LINES, 'a\rb\n'),
    ]).toEqual([1, 1, 1])
  })

  test('says once that an input is UTF-16', async () => {
    const { seen } = await readAll([chunked(Buffer.from('\ufeff{}\n{}\n', 'utf16le'), [])], JSON_LINES)
    expect(seen).toHaveLength(1)
    expect(seen[0]?.text).toBeUndefined()
  })

  test('a record that fills a block to its last byte loses its CR and may be blank like any other', async () => {
    const full = Buffer.alloc(BLOCK_SIZE_BYTES - 1, 'a')
    const blank = Buffer.alloc(BLOCK_SIZE_BYTES - 1, ' ')
    for (const cut of [BLOCK_SIZE_BYTES - 1, BLOCK_SIZE_BYTES, BLOCK_SIZE_BYTES + 1]) {
      for (const [format, lines] of [
        [JSON_LINES, [1, 3]],
        [PLAIN_LINES, [1, 2, 3]],
      ] as const) {
        const text = Buffer.concat([full, Buffer.from('\r\n'), blank, Buffer.from('\r\n'), full, Buffer.from('\r')])
        const { seen } = await readAll([chunked(text, [cut])], format)
        expect(seen.map(({ line }) => line)).toEqual(lines)
        expect(seen.map((record) => record.text?.length)).toEqual(lines.map(() => BLOCK_SIZE_BYTES - 1))
      }
    }
  })

  test('a blank line longer than a record may be is passed over, however long', async () => {
    const text = Buffer.concat([Buffer.from('1\n'), Buffer.alloc(3 * BLOCK_SIZE_BYTES, ' '), Buffer.from('\n2\n')])
    const { seen } = await readAll([chunked(text, [5])], JSON_LINES, { maxRecordBytes: 10 })
    expect(seen.map((record) => [record.line, record.text])).toEqual([
      [1, '1'],
      [3, '2'],
    ])
  })

  test('carries records over block borders, and records larger than a block', async () => {
    const sizes = [10, BLOCK_SIZE_BYTES - 3, 5, BLOCK_SIZE_BYTES, 7, 2 * BLOCK_SIZE_BYTES + 9, 1, 3 * BLOCK_SIZE_BYTES]
    const lines = sizes.map((size, index) => String.fromCharCode(97 + index).repeat(size))
    const bytes = Buffer.from(`${lines.join('\r\n')}\r\n`)
    const cuts = Array.from({ length: 60 }, (_, index) => index * 50_000)
    const { seen, arena } = await readAll([chunked(bytes, cuts)], PLAIN_LINES)
    expect(seen.map(({ text }) => text?.length)).toEqual(sizes)
    expect(seen.map(({ text }) => text)).toEqual(lines)
    expect(arena.freeBlocks).toBe(4)
  })

  test('gives up a record past the limit and goes on behind it', async () => {
    const bytes = Buffer.from(`first\n${'x'.repeat(3 * BLOCK_SIZE_BYTES)}\nlast`)
    const { seen } = await readAll([chunked(bytes, [])], PLAIN_LINES, { maxRecordBytes: 1000 })
    expect(seen.map(({ text }) => text)).toEqual(['first', undefined, 'last'])
    expect(seen[2]).toMatchObject({ line: 3, offset: bytes.length - 4 })
  })
})

describe('gzip', () => {
  const members = Buffer.concat([gzipSync('{"i":0}\n{"i":1}\n'), gzipSync('{"i":2}\n'), gzipSync('')])

  test('is read by content, through all members, however the bytes arrive', async () => {
    for (let cut = 1; cut < members.length; cut++) {
      const { seen } = await readAll([chunked(members, [cut, cut + 1, cut + 7])], JSON_LINES)
      expect(seen.map(({ text }) => text)).toEqual(['{"i":0}', '{"i":1}', '{"i":2}'])
    }
  })

  test('fails behind the data when something else follows it', async () => {
    const read = readAll([chunked(Buffer.concat([members, Buffer.from('{"i":3}\n')]), [])], JSON_LINES)
    await expect(read).rejects.toMatchObject({ code: 'EVENKEEL_BATCH_INPUT' })
  })

  test('takes zero padding without a word', async () => {
    const { seen } = await readAll([chunked(Buffer.concat([members, Buffer.alloc(600)]), [])], JSON_LINES)
    expect(seen).toHaveLength(3)
  })

  test('fails loudly when it is cut off at any byte', async () => {
    for (let end = 1; end < gzipSync('{"i":0}\n').length; end++) {
      const cut = gzipSync('{"i":0}\n').subarray(0, end)
      await expect(readAll([chunked(cut, [])], JSON_LINES)).rejects.toMatchObject({ code: 'EVENKEEL_BATCH_INPUT' })
    }
  })

  test('fails loudly when its checksum is wrong', async () => {
    const bytes = Buffer.from(gzipSync('{"i":0}\n'))
    bytes[bytes.length - 6]! ^= 1
    await expect(readAll([chunked(bytes, [])], JSON_LINES)).rejects.toThrow('checksum')
  })
})

describe('whole stretches', () => {
  test('split into the records that are read one by one, for any bytes however they arrive', async () => {
    const bits = ['{"i":1}', 'x', ' ', '\t', '\r', '\n', '\n', '\r\n', '\0', 'ü', '\xff', 'long'.repeat(9)]
    const text = fc
      .array(fc.constantFrom(...bits), { maxLength: 80 })
      .map((parts) => Buffer.from(parts.join(''), 'latin1'))
    const formats = fc.constantFrom(JSON_LINES, PLAIN_LINES, EXACT_LINES, NUL_SEPARATED)
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 3 }),
        formats,
        fc.array(fc.nat(200)),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        async (inputs, format, cuts, most, mixed) => {
          const sources = (): ByteSource[] => inputs.map((bytes) => chunked(bytes, cuts))
          const { seen } = await readAll(sources(), format, { maxRecordBytes: 60 })
          const arena = new RecordArena(4)
          const memory = new StretchMemory(new SharedArrayBuffer(stretchMemoryBytes(1)), 10)
          const reader = new DelimitedReader(arena, sources(), format, 60)
          const found: Seen[] = []
          const take = (record: InputRecord): void => {
            const { line, offset, endOffset, input } = record
            found.push({
              text: record.place === undefined ? undefined : arena.view(record).toString(),
              line,
              offset,
              endOffset,
              input,
            })
            arena.release(record)
          }
          do {
            for (;;) {
              const note = { memory, slot: 0, most, count: 0 }
              const stretch = reader.next(note)
              if (stretch === undefined) break
              if (note.count === 0) {
                take(stretch)
              } else {
                expect(note.count).toBeLessThanOrEqual(most)
                const { input, line, offset, count } = stretch
                expect(count).toBe(note.count)
                const records = splitStretch(stretch, memory, 0, arena, format.separator)
                expect(records[0]).toMatchObject({ input, line, offset })
                for (const record of records) take(record)
                if (!mixed) continue
              }
              const record = reader.next()
              if (record === undefined) break
              take(record)
            }
          } while (await reader.advance())
          await reader.close()
          expect(found).toEqual(seen)
          expect(arena.freeBlocks).toBe(4)
        },
      ),
      { numRuns: 400, seed: 31 },
    )
  })

  test('hold at most 64 KiB of text and cross no block', async () => {
    const arena = new RecordArena(4)
    const memory = new StretchMemory(new SharedArrayBuffer(stretchMemoryBytes(1)), 10)
    const lines = Array.from({ length: 2000 }, (_, at) => `${at}`.padStart(300, 'x'))
    const reader = new DelimitedReader(
      arena,
      [chunked(Buffer.from(`${lines.join('\n')}\n`), [100_000, 300_000])],
      PLAIN_LINES,
      1000,
    )
    const found: string[] = []
    do {
      const note = { memory, slot: 0, most: 1024, count: 0 }
      for (let at = reader.next(note); at !== undefined; at = reader.next(note)) {
        expect(at.count).toBe(note.count)
        const bytes = memory.textEnd(0, at.count - 1) - memory.textStart(0, 0)
        expect(bytes).toBeLessThanOrEqual(65_536 + 300)
        const blockOf = (place: number): number => Math.floor(place / BLOCK_SIZE_BYTES)
        expect(blockOf(memory.textEnd(0, at.count - 1) - 1)).toBe(blockOf(memory.textStart(0, 0)))
        for (const record of splitStretch(at, memory, 0, arena, 10)) {
          found.push(arena.view(record).toString())
          arena.release(record)
        }
      }
    } while (await reader.advance())
    await reader.close()
    expect(found).toEqual(lines)
  })
})
