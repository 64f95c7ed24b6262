import { execFileSync } from 'node:child_process'
import { deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { ForeignEncodingError, refuseForeign } from '../../../src/batch/input/input-format.js'
import { InputText } from '../../../src/batch/input/input-list.js'
import { PeekableChunks } from '../../../src/batch/input/peekable-chunks.js'
import { memorySource } from '../scratch-folder.js'

const LF = 10

async function read(bytes: Buffer, cuts: readonly number[] = [], separator = LF): Promise<string> {
  const parts: Buffer[] = []
  const input = new InputText(memorySource(bytes, cuts, 'file'), separator)
  for await (const chunk of input.chunks()) parts.push(Buffer.from(chunk))
  return Buffer.concat(parts).toString()
}

const text = Buffer.from('{"i":0}\n{"i":1}\n'.repeat(40))
const EVERY_BYTE = Array.from({ length: 20 }, (_, at) => at + 1)

test.each<[string, Buffer]>([
  ['zstd', Buffer.from('28b52ffd2458290000', 'hex')],
  ['zstd', Buffer.from('502a4d1804000000', 'hex')],
  ['xz', Buffer.from('fd377a585a000004e6', 'hex')],
  ['bzip2', Buffer.from('425a6839314159265359', 'hex')],
  ['lz4', Buffer.from('04224d186440a7', 'hex')],
  ['zlib', deflateSync(text)],
  ['zlib', deflateSync(text, { level: 9 })],
  ['compress', Buffer.from('1f9d90610a', 'hex')],
  ['gzip twice', gzipSync(gzipSync(text))],
  ['zip archive', Buffer.from('504b03041400000008', 'hex')],
  ['zip archive', Buffer.from('504b050600000000', 'hex')],
  ['7z archive', Buffer.from('377abcaf271c0004', 'hex')],
  ['rar archive', Buffer.from('526172211a070100', 'hex')],
])('%s is named and refused, however its bytes come', async (name, bytes) => {
  for (const cuts of [[], EVERY_BYTE]) {
    await expect(read(bytes, cuts)).rejects.toMatchObject({
      code: 'EVENKEEL_BATCH_INPUT',
      message: expect.stringMatching(`^cannot read file: it is .*${name}.*, not text`),
    })
  }
})

test('a tar archive, bare or compressed, is named and refused', async () => {
  const tar = execFileSync('tar', ['-cf', '-', '-C', '/', 'dev/null'])
  for (const bytes of [tar, gzipSync(tar)]) await expect(read(bytes)).rejects.toThrow('it is a tar archive')
})

test.each<BufferEncoding | 'utf16be'>(['utf16le', 'utf16be'])('%s is told by its mark or by its NULs', async (name) => {
  const encode = (value: string): Buffer =>
    name === 'utf16be' ? Buffer.from(value, 'utf16le').swap16() : Buffer.from(value, 'utf16le')
  for (const value of ['\ufeff1\n', '\ufeff{"a":1}\n', '{"a":1}\n', 'name,year\nÄrö,1\n', '12\n']) {
    for (const cuts of [[], EVERY_BYTE]) {
      await expect(read(encode(value), cuts)).rejects.toThrow(ForeignEncodingError)
      await expect(read(encode(value), cuts)).rejects.toThrow(name === 'utf16be' ? 'UTF-16BE' : 'UTF-16LE')
    }
  }
})

test('UTF-16 with little ASCII in it is told where enough of it comes at once', async () => {
  const bytes = Buffer.from('名前と住所,年\n東京都千代田区,1\n', 'utf16le')
  await expect(read(bytes)).rejects.toThrow('UTF-16LE')
  await expect(read(bytes.swap16())).rejects.toThrow('UTF-16BE')
})

test('UTF-8 with NULs stays text where the sample ends within a character', async () => {
  const text = 'sep=;\n\0\nü€😀\n\n'
  for (let end = 8; end <= Buffer.byteLength(text); end++) {
    const cut = Buffer.from(text).subarray(0, end)
    expect(await read(cut)).toBe(cut.toString())
  }
})

test('UTF-32 without a mark is told by its NULs', async () => {
  const words = Buffer.alloc(4 * text.length)
  for (const [at, byte] of text.entries()) words[4 * at] = byte
  await expect(read(words)).rejects.toThrow('UTF-32LE')
  await expect(read(words.swap32())).rejects.toThrow('UTF-32BE')
})

test('text stays as it is, with NULs, with beginnings that look like something else', async () => {
  for (const value of [
    '',
    'B',
    'BZ',
    'BZh9',
    'BZh91\n',
    'PK',
    'PK\n',
    'LZIP\n',
    'x',
    'Rar!\n',
    'a\0b\n',
    '\0\n',
    '7z\n',
    '(\n',
    '\x1f\n',
  ]) {
    for (const cuts of [[], EVERY_BYTE]) expect(await read(Buffer.from(value), cuts)).toBe(value)
  }
})

test('between NUL-separated records NULs say nothing', async () => {
  expect(await read(Buffer.from('1\x002\x003\x00'), [], 0)).toBe('1\x002\x003\x00')
  await expect(read(Buffer.from('1\x002\x003\x00'))).rejects.toThrow('UTF-16LE')
})

test('a short first record is not held back for more', async () => {
  async function* slow(): AsyncGenerator<Buffer> {
    yield Buffer.from('1\n')
    await new Promise(() => undefined)
  }
  const chunks = new PeekableChunks(slow())
  await refuseForeign(chunks, 'pipe', LF)
  expect(chunks.held.toString()).toBe('1\n')
})
