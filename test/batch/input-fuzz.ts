/** Inputs made at random, as files and streams are found in the wild, mapped and held against a plain reader. */

import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished } from 'vitest'
import { seededRandom } from '../../src/base/random.js'
import { mapFile } from '../../src/batch/map-file.js'
import type { MapFileOptions } from '../../src/batch/options/map-options.js'
import { RecordPool } from '../../src/batch/record-pool.js'
import { type ReferenceOptions, referenceRecords } from './reference-reader.js'
import type { ScratchFolder } from './scratch-folder.js'

/** Pools by what they make of a record; their task gives back its argument. */
export interface FuzzPools {
  readonly json: RecordPool
  readonly text: RecordPool
}

/** They go away when the test is over. */
export function fuzzPools(): FuzzPools {
  const module = 'data:text/javascript,export default (value) => value'
  const json = new RecordPool({ module, dispatcher: { workers: 1 } })
  const text = new RecordPool({ module, codec: { format: 'lines', output: 'jsonl' }, dispatcher: { workers: 1 } })
  onTestFinished(async () => {
    await json.close({ force: true })
    await text.close({ force: true })
  })
  return { json, text }
}

interface FuzzInput {
  readonly bytes: Buffer
  /** UTF-16 or UTF-32 without a mark: it is told by chance or not, but must not pass as records that are good. */
  readonly isBareWide: boolean
}

interface FuzzCase {
  readonly inputs: readonly FuzzInput[]
  readonly options: ReferenceOptions & Pick<MapFileOptions, 'onBadRecord'>
  /** Where the text of a stream is cut into chunks; `undefined` for files. */
  readonly chunkBytes: number | undefined
}

const PIECES: Record<'jsonl' | 'lines' | 'csv' | 'nul', readonly string[]> = {
  jsonl: [
    '{"i":1}',
    '{"a":"ü€😀"}',
    '[1,2]',
    '"x y"',
    '7',
    'null',
    '{"a":"\\u0000\\r"}',
    '{',
    '',
    ' ',
    '\t',
    'nul',
    '{"s":"a""}',
  ],
  lines: ['a', 'word', 'ü€😀', '', ' ', '"', ',', 'sep=;', '\ufeff', '\ufffd', '\0', 'x\tz', 'BZ', 'PK'],
  csv: [
    'a,b',
    '1,2',
    'c',
    '"q,""r"",s",t',
    '"m\nn",o',
    '"m\r\nn"',
    'x"y,z',
    '"open,1',
    '"a"b,c',
    '',
    ',',
    'ü,€',
    '"",""',
    '😀,',
    'a;b',
    ' "s",t',
    '\t',
  ],
  nul: ['a', 'b c', '', 'ü€😀', 'line\nline', '\r\n', '\n', '"', '{"i":1}'],
}
const ENDS = ['\n', '\n', '\n', '\r\n', '\r\n', '\r']
const FOREIGN = ['28b52ffd2401', 'fd377a585a0000', '425a6839314159265359', '504b030414', '377abcaf271c0004', '1f9d90']

class Maker {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = seededRandom(seed)
  }

  below(count: number): number {
    return Math.floor(this.#random() * count)
  }

  chance(share: number): boolean {
    return this.#random() < share
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  case(): FuzzCase {
    const format = this.pick(['jsonl', 'lines', 'csv', 'nul'] as const)
    const options = {
      format,
      ...(format !== 'csv' && this.chance(0.2) && { raw: true }),
      ...(format === 'csv' && this.chance(0.2) && { delimiter: ';' }),
      ...(this.chance(0.3) && { maxRecordBytes: this.pick([1, 4, 5, 7, 20, 1000]) }),
      onBadRecord: this.pick(['error', 'error', 'skip', 'fail'] as const),
    }
    return {
      inputs: Array.from({ length: this.pick([1, 1, 2, 3]) }, () => this.#input(format)),
      options,
      chunkBytes: this.pick([undefined, undefined, 1, 2, 3, 7, 100, 5000]),
    }
  }

  #input(format: 'jsonl' | 'lines' | 'csv' | 'nul'): FuzzInput {
    const { bytes, isBareWide } = this.#encoded(this.#text(format), format)
    const packed = this.#packed(bytes)
    return { bytes: packed, isBareWide: isBareWide && packed.length > 0 }
  }

  #text(format: 'jsonl' | 'lines' | 'csv' | 'nul'): string {
    const end = format === 'nul' ? '\0' : this.pick(ENDS)
    const mixes = this.chance(0.25)
    const pieces = PIECES[format]
    const good = this.chance(0.4)
    let text = format === 'csv' ? this.pick(['', '', 'sep=;\n', 'sep=,\r\n']) : ''
    if (format === 'csv') text += this.pick(['a,b', 'a', 'a;b', 'a,b,', '"a","b"', '', 'é,b', 'a,a', 'a,,b']) + end
    for (let left = this.below(9); left > 0; left--) {
      const piece = good ? this.pick(pieces.slice(0, 3)) : this.pick(pieces)
      text += this.chance(0.01) ? this.#long(piece) : piece
      text += mixes && format !== 'nul' ? this.pick(ENDS) : end
    }
    return this.chance(0.4) ? text.slice(0, text.length - this.below(text.length + 1) ** 0.5) : text
  }

  /** Longer than a block of the arena, or than two; or just too long for a stretch. */
  #long(piece: string): string {
    return piece.length === 0
      ? ' '.repeat(70_000)
      : piece.replace(/[a-z]/g, (letter) => letter.repeat(this.pick([1, 40_000, 270_000])))
  }

  #encoded(text: string, format: string): FuzzInput {
    const plain = { bytes: Buffer.from(text), isBareWide: false }
    switch (this.below(16)) {
      case 0:
        return { bytes: Buffer.from(`\ufeff${text}`), isBareWide: false }
      case 1:
        return { bytes: Buffer.from(`\ufeff${text}`, 'utf16le'), isBareWide: false }
      case 2:
        return { bytes: Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), isBareWide: false }
      case 3: {
        // As NUL-separated text these are single letters, and nobody can tell. Neither can they of less than two letters.
        if (format === 'nul' || text.length < 3 || text.includes('\0')) return plain
        const bytes = Buffer.from(text, 'utf16le')
        return { bytes: this.chance(0.5) ? bytes : bytes.swap16(), isBareWide: true }
      }
      case 4:
        return {
          bytes: Buffer.from(text.replaceAll('\0', '0').replace(/[\u0100-\uffff]/g, '\xe9'), 'latin1'),
          isBareWide: false,
        }
      case 5: {
        const bytes = Buffer.from(text)
        for (let left = 1 + this.below(3); left > 0; left--)
          bytes[this.below(bytes.length)] = this.pick([0, 0xff, 0xc3, 0x80, 13, 10, 34])
        // What begins like something else has its own tests.
        return {
          bytes: bytes[0] === 0xff || bytes.subarray(0, 2).includes(0) ? Buffer.from(text) : bytes,
          isBareWide: false,
        }
      }
      default:
        return plain
    }
  }

  #packed(bytes: Buffer): Buffer {
    switch (this.below(14)) {
      case 0:
        return gzipSync(bytes)
      case 1: {
        const cut = this.below(bytes.length + 1)
        return Buffer.concat([gzipSync(bytes.subarray(0, cut)), gzipSync(bytes.subarray(cut))])
      }
      case 2: {
        const packed = Buffer.concat([gzipSync(bytes), gzipSync(bytes)])
        return packed.subarray(0, this.below(packed.length + 1))
      }
      case 3:
        return Buffer.concat([
          gzipSync(bytes),
          this.pick([Buffer.alloc(100), Buffer.from('junk\n'), bytes, Buffer.from([0x1f])]),
        ])
      case 4: {
        const packed = gzipSync(bytes)
        packed[10 + this.below(packed.length - 10)]! ^= 1 + this.below(255)
        return packed
      }
      default:
        return bytes
    }
  }
}

/** Makes the case of this number, maps it, and compares all that is told with what the plain reader says. */
export async function fuzzInput(seed: number, pools: FuzzPools, folder: ScratchFolder): Promise<void> {
  const { inputs, options, chunkBytes } = new Maker(seed).case()
  await checkCase(`case ${seed}`, inputs, options, chunkBytes, pools, folder)
}

/** Cuts an input at every byte. */
export async function fuzzCuts(
  bytes: Buffer,
  options: ReferenceOptions,
  pools: FuzzPools,
  folder: ScratchFolder,
): Promise<void> {
  for (let end = 0; end <= bytes.length; end++) {
    const input = { bytes: bytes.subarray(0, end), isBareWide: false }
    await checkCase(`cut at ${end}`, [input], options, end % 2 === 0 ? undefined : 1, pools, folder)
  }
}

/** Archives must be refused, whatever follows. */
export async function fuzzForeign(pools: FuzzPools, folder: ScratchFolder): Promise<void> {
  for (const hex of FOREIGN) {
    for (const format of ['jsonl', 'lines', 'csv', 'nul'] as const) {
      for (const bytes of [Buffer.from(hex, 'hex'), Buffer.from(`${hex}0a610a`, 'hex')]) {
        for (const packed of [bytes, gzipSync(bytes)]) {
          const seen = await mapped([packed], { format, onBadRecord: 'skip' }, undefined, pools, folder)
          expect([hex, format, seen.code, seen.lines]).toEqual([hex, format, 'input', []])
        }
      }
    }
  }
}

interface Seen {
  readonly code: string | undefined
  readonly lines: string[]
  readonly failed: number
  readonly skipped: number
}

async function mapped(
  inputs: readonly Buffer[],
  options: FuzzCase['options'],
  chunkBytes: number | undefined,
  { json, text }: FuzzPools,
  folder: ScratchFolder,
): Promise<Seen> {
  const isText = options.raw === true || options.format === 'lines' || options.format === 'nul'
  const names = inputs.map((bytes, at) => folder.write(`in-${at}`, bytes))
  // The first one comes as a stream, in chunks of its own.
  if (chunkBytes !== undefined) names[0] = '-'
  const run = await mapFile(isText ? text : json, {
    ...options,
    in: names,
    output: 'jsonl',
    out: folder.path('out'),
    journal: false,
    force: true,
    standardInput: Readable.from(chunksOf(inputs[0]!, chunkBytes ?? 1)),
  })
  let failed = 0
  let skipped = 0
  let code: string | undefined
  try {
    const summary = await run.done
    failed = summary.failed
    skipped = summary.skipped
    code = summary.stopped?.type
  } catch (error) {
    code = (error as { code?: string }).code ?? String(error)
  }
  return { code, failed, skipped, lines: folder.read('out').split('\n').slice(0, -1) }
}

function* chunksOf(bytes: Buffer, size: number): Generator<Buffer> {
  // Megabytes in single bytes would take minutes.
  const step = bytes.length > 100_000 ? Math.max(size, 10_000) : size
  for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
}

async function checkCase(
  name: string,
  inputs: readonly FuzzInput[],
  options: FuzzCase['options'],
  chunkBytes: number | undefined,
  pools: FuzzPools,
  folder: ScratchFolder,
): Promise<void> {
  const where = [name, options, chunkBytes, inputs.map(({ bytes }) => bytes.subarray(0, 300).toString('latin1'))]
  const bytes = inputs.map((input) => input.bytes)
  const seen = await mapped(bytes, options, chunkBytes, pools, folder)
  const { records, wholeInputs, refused, isDoubtful } = referenceRecords(bytes, options)
  const isTold = seen.code !== undefined || seen.failed + seen.skipped > 0
  if (inputs.some(({ isBareWide }) => isBareWide)) {
    expect([where, isTold]).toEqual([where, true])
    return
  }
  if (isDoubtful && isTold) return
  const good = records.filter((record) => record !== undefined)
  const bad = records.length - good.length
  if (options.onBadRecord === 'fail' && bad > 0) {
    const before = records.indexOf(undefined)
    expect([where, seen.code !== undefined]).toEqual([where, true])
    expect([where, seen.lines.slice(0, before)]).toEqual([where, good.slice(0, seen.lines.length).slice(0, before)])
    return
  }
  if (refused !== undefined) {
    if (options.onBadRecord === 'fail' && seen.code === 'bad-record') return
    // What was not yet given out when the reading failed is told by the error.
    expect([where, refused, seen.code]).toEqual([where, refused, 'input'])
    expect([where, seen.lines.slice(0, good.length)]).toEqual([where, good.slice(0, seen.lines.length)])
    return
  }
  const skips = options.onBadRecord === 'skip'
  expect([where, seen]).toEqual([
    where,
    { code: undefined, lines: good, failed: skips ? wholeInputs : bad, skipped: skips ? bad - wholeInputs : 0 },
  ])
}
