/**
 * The format of an input, by its first bytes. Text in another encoding and files that are no text get an error that
 * names what they are. Read as text, they would be thousands of bad records, or a few that pass by chance.
 */

import { isUtf8 } from 'node:buffer'
import { BatchInputError } from '../options/batch-errors.js'
import type { PeekableChunks } from './peekable-chunks.js'

/** Raised for text that is UTF-16 or UTF-32: one bad record for the whole input, not one for each line. */
export class ForeignEncodingError extends Error {
  constructor(encoding: string) {
    super(`the input is ${encoding}, not UTF-8; iconv -f ${encoding} -t UTF-8 converts it`)
    this.name = 'ForeignEncodingError'
  }
}

interface FileFormat {
  readonly name: string
  readonly magic: Buffer
  /** The command that gives the text, if there is one. */
  readonly tool: string | undefined
}

function format(name: string, hex: string, tool?: string): FileFormat {
  return { name, magic: Buffer.from(hex, 'hex'), tool }
}

/** No UTF-8 text begins with one of these; each has a byte that text has not, or is too long to come by chance. */
const FORMATS: readonly FileFormat[] = [
  format('compressed by zstd', '28b52ffd', 'zstd -dc'),
  ...Array.from({ length: 16 }, (_, at) => format('compressed by zstd', `5${at.toString(16)}2a4d18`, 'zstd -dc')),
  format('compressed by xz', 'fd377a585a00', 'xz -dc'),
  ...Array.from({ length: 9 }, (_, at) => format('compressed by bzip2', `425a683${at + 1}314159265359`, 'bzip2 -dc')),
  ...Array.from({ length: 9 }, (_, at) => format('compressed by bzip2', `425a683${at + 1}177245385090`, 'bzip2 -dc')),
  format('compressed by lz4', '04224d18', 'lz4 -dc'),
  format('compressed by lzip', '4c5a495001', 'lzip -dc'),
  format('compressed by compress', '1f9d', 'uncompress -c'),
  format('compressed by gzip twice', '1f8b08', 'gzip -dc'),
  format('compressed by zlib', '789c'),
  format('compressed by zlib', '78da'),
  format('a zip archive (or a spreadsheet in one)', '504b0304', 'unzip -p'),
  format('an empty zip archive', '504b0506'),
  format('a part of a zip archive', '504b0708'),
  format('a 7z archive', '377abcaf271c'),
  format('a rar archive', '526172211a07'),
]

const TAR_MARK = Buffer.from('ustar')
const TAR_MARK_OFFSET = 257

/** First bytes of the marks of UTF-16 and UTF-32. */
const MARK_STARTS: ReadonlySet<number> = new Set([0xff, 0xfe, 0])

/** How much of the text is looked at for UTF-16 without a mark. */
const SAMPLE_BYTES = 4096

/**
 * Looks at the beginning of an input, decompressed if it was gzip, without taking any of it; it waits for no byte that
 * it does not need. `separator` is the byte that ends a record: where that is NUL, NULs say nothing.
 * Throws `ForeignEncodingError` and `BatchInputError`.
 */
export async function refuseForeign(text: PeekableChunks, name: string, separator: number): Promise<void> {
  const found = await formatOf(text)
  if (found !== undefined) {
    const advice = found.tool === undefined ? '' : `; unpack it before: ${found.tool} … | evenkeel map … --in -`
    throw new BatchInputError(`cannot read ${name}: it is ${found.name}, not text${advice}`, name)
  }
  if (text.held.subarray(TAR_MARK_OFFSET, TAR_MARK_OFFSET + TAR_MARK.length).equals(TAR_MARK)) {
    throw new BatchInputError(`cannot read ${name}: it is a tar archive, not text; tar -xO gives what is in it`, name)
  }
  // Waits for more bytes only if these may be another encoding: the first record of a slow pipe may be shorter than
  // four bytes.
  const head = await text.peek(2)
  if (!head.includes(0) && !MARK_STARTS.has(head[0] ?? 0x20) && !text.held.includes(0)) return
  const encoding = markedEncoding(await text.peek(4)) ?? (separator === 0 ? undefined : bareEncoding(text.held))
  if (encoding !== undefined) throw new ForeignEncodingError(encoding)
}

async function formatOf(text: PeekableChunks): Promise<FileFormat | undefined> {
  for (let length = 1; ; length++) {
    const head = await text.peek(length)
    const fitting = FORMATS.filter(({ magic }) => magic.subarray(0, head.length).equals(head.subarray(0, magic.length)))
    const whole = fitting.find(({ magic }) => magic.length <= head.length)
    if (whole !== undefined || fitting.length === 0 || head.length < length)
      return head.length === 0 ? undefined : whole
  }
}

function markedEncoding(head: Buffer): string | undefined {
  if (head.length < 2) return undefined
  const mark = head.readUInt16BE(0)
  if (mark === 0xfffe) return head.length >= 4 && head.readUInt16LE(2) === 0 ? 'UTF-32LE' : 'UTF-16LE'
  if (mark === 0xfeff) return 'UTF-16BE'
  if (head.length >= 4 && head.readUInt32BE(0) === 0xfeff) return 'UTF-32BE'
  return undefined
}

/** ASCII in UTF-16 is every second byte NUL, in UTF-32 three of four; a stray NUL in UTF-8 text is neither. */
function bareEncoding(held: Buffer): string | undefined {
  const sample = held.subarray(0, Math.min(SAMPLE_BYTES, held.length - (held.length % 4)))
  if (sample.length < 4 || !sample.includes(0)) return undefined
  const nuls = [0, 0, 0, 0]
  for (const [at, byte] of sample.entries()) if (byte === 0) nuls[at % 4]! += 1
  const units = sample.length / 4
  const [first, second, third, fourth] = nuls.map((count) => count / units) as [number, number, number, number]
  if (first === 0 && third > 0.9 && fourth > 0.9) return second > 0.5 ? 'UTF-32LE' : undefined
  if (fourth === 0 && first > 0.9 && second > 0.9) return third > 0.5 ? 'UTF-32BE' : undefined
  // Half of the units are ASCII; or fewer, in what is no UTF-8 either.
  const isUtf16 = (share: number): boolean => share > 0.5 || (share > 0.1 && !isUtf8(wholeCharacters(sample)))
  if (first + third === 0 && isUtf16((second + fourth) / 2)) return 'UTF-16LE'
  if (second + fourth === 0 && isUtf16((first + third) / 2)) return 'UTF-16BE'
  return undefined
}

/** Without a character of UTF-8 that the end of the sample cuts through. */
function wholeCharacters(sample: Buffer): Buffer {
  let first = sample.length - 1
  while (first > sample.length - 4 && (sample[first]! & 0xc0) === 0x80) first--
  return sample[first]! >= 0xc0 ? sample.subarray(0, first) : sample
}
