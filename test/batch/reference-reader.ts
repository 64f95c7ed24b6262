/**
 * What the records of an input are, worked out the plain and slow way: byte by byte, all of it in memory. Shares no code
 * with the readers that it judges.
 */

import { constants, crc32, inflateRawSync } from 'node:zlib'
import type { MapFileOptions } from '../../src/batch/options/map-options.js'

export type ReferenceOptions = Pick<MapFileOptions, 'format' | 'raw' | 'delimiter' | 'maxRecordBytes'>

export interface Expected {
  /** The value of each record as JSON; `undefined` for a bad one. */
  readonly records: (string | undefined)[]
  /** Inputs that are one bad record as a whole, and never passed over. */
  wholeInputs: number
  /** Why the run cannot go on behind these records. */
  refused: string | undefined
  /** What begins with NULs, or has some and is no UTF-8, may be taken for UTF-16; what damaged gzip holds, for anything. */
  isDoubtful: boolean
}

const NO_DEFLATE = 'gzip: damaged'
const [LF, CR, QUOTE] = [10, 13, 34]

/** The records of several inputs in a row. */
export function referenceRecords(inputs: readonly Buffer[], options: ReferenceOptions): Expected {
  const expected: Expected = { records: [], wholeInputs: 0, refused: undefined, isDoubtful: false }
  for (const input of inputs) {
    readInput(input, options, expected)
    if (expected.refused !== undefined) break
  }
  return expected
}

/** Decodes UTF-8 by its definition (RFC 3629); `undefined` for what is none. */
export function utf8Text(bytes: readonly number[]): string | undefined {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at++]!
    const more = first < 0x80 ? 0 : first < 0xc2 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : -1
    if (more < 0) return undefined
    let code = more === 0 ? first : first & (0x3f >> more)
    for (let left = more; left > 0; left--) {
      const next = bytes[at++]
      if (next === undefined || next >> 6 !== 2) return undefined
      code = code * 64 + (next & 0x3f)
    }
    if (code < [0, 0x80, 0x800, 0x10000][more]! || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      return undefined
    text += String.fromCodePoint(code)
  }
  return text
}

function readInput(input: Buffer, options: ReferenceOptions, expected: Expected): void {
  const { text, fault } = unpacked(input)
  const head = text.toString('hex', 0, 8)
  const mayBeWide =
    /^f[ef]/.test(head) ||
    (options.format !== 'nul' && text.includes(0) && (text.indexOf(0) < 4 || utf8Text([...text]) === undefined))
  if (mayBeWide || fault === NO_DEFLATE) expected.isDoubtful = true
  const marked = /^(fffe|feff|0000feff)/.test(head)
  const bytes = [...(head.startsWith('efbbbf') ? text.subarray(3) : text)]
  if (marked) {
    // Nobody looks for what else is wrong with it.
    expected.records.push(undefined)
    expected.wholeInputs++
    return
  }
  if (options.format === 'csv') readCsv(bytes, options, expected, fault === undefined)
  else readDelimited(bytes, options, expected, fault === undefined)
  if (fault !== undefined) expected.refused ??= fault
}

/** Gzip, member after member (RFC 1952); what was read before a fault counts. */
function unpacked(input: Buffer): { text: Buffer; fault?: string } {
  if (input[0] !== 0x1f || (input.length > 1 && input[1] !== 0x8b)) return { text: input }
  const parts: Buffer[] = []
  let at = 0
  while (at < input.length) {
    if (input[at] === 0 && input.subarray(at).every((byte) => byte === 0)) break
    try {
      if (input.readUInt32BE(at) !== 0x1f8b0800) throw new Error('no member')
      const result = inflated(input.subarray(at + 10))
      if (result === undefined) return { text: Buffer.concat(parts), fault: NO_DEFLATE }
      at += 10 + result.engine.bytesWritten + 8
      parts.push(result.buffer)
      if (input.readUInt32LE(at - 8) !== crc32(result.buffer)) throw new Error('checksum')
      if (input.readUInt32LE(at - 4) !== result.buffer.length) throw new Error('length')
    } catch (error) {
      return { text: Buffer.concat(parts), fault: `gzip: ${(error as Error).message}` }
    }
  }
  return { text: Buffer.concat(parts) }
}

/** What there is of a stream that is cut; `undefined` for one that is damaged. */
function inflated(bytes: Buffer): { buffer: Buffer; engine: { bytesWritten: number } } | undefined {
  try {
    return inflateRawSync(bytes, { info: true, finishFlush: constants.Z_SYNC_FLUSH } as never) as never
  } catch {
    return undefined
  }
}

function isBlank(record: readonly number[]): boolean {
  return record.every((byte) => byte === 32 || byte === 9 || byte === LF || byte === CR)
}

function jsonOf(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** `isWhole`: the end of the bytes is the end of the input, so what stands last is a record. */
function readDelimited(
  bytes: readonly number[],
  { format = 'jsonl', raw = false, maxRecordBytes = 2 ** 24 }: ReferenceOptions,
  expected: Expected,
  isWhole: boolean,
): void {
  const separator = format === 'nul' ? 0 : LF
  const takesCr = format === 'jsonl' || (format === 'lines' && !raw)
  if (takesCr && isWhole && !bytes.includes(LF) && bytes.slice(0, -1).includes(CR)) {
    const text = utf8Text(bytes)
    const isOneValue = format === 'jsonl' && (isBlank(bytes) || (text !== undefined && jsonOf(text) !== undefined))
    if (!isOneValue) {
      expected.records.push(undefined)
      expected.wholeInputs++
      return
    }
  }
  const records: number[][] = [[]]
  for (const byte of bytes) {
    if (byte === separator) records.push([])
    else records.at(-1)!.push(byte)
  }
  if (!isWhole || records.at(-1)!.length === 0) records.pop()
  for (const record of records) {
    if (takesCr && record.at(-1) === CR) record.pop()
    if (format === 'jsonl' && isBlank(record)) continue
    const text = record.length > maxRecordBytes ? undefined : utf8Text(record)
    if (text === undefined) expected.records.push(undefined)
    else expected.records.push(format === 'jsonl' && !raw ? jsonOf(text) : JSON.stringify(text))
  }
}

interface Row {
  fields: number[][]
  lengthBytes: number
  isBad: boolean
}

function rowsOf(bytes: readonly number[], delimiter: number): { rows: Row[]; lastIsOpen: boolean } {
  const rows: Row[] = []
  let row: Row = { fields: [[]], lengthBytes: 0, isBad: false }
  let state: 'start' | 'bare' | 'quoted' | 'closed' = 'start'
  const endRow = (): void => {
    rows.push(row)
    row = { fields: [[]], lengthBytes: 0, isBad: false }
    state = 'start'
  }
  for (const [at, byte] of bytes.entries()) {
    if (byte === LF && state !== 'quoted') {
      endRow()
      continue
    }
    if (state !== 'quoted' && byte === CR && (bytes[at + 1] ?? LF) === LF) continue
    row.lengthBytes++
    if (state === 'quoted') {
      if (byte === QUOTE) state = 'closed'
      else row.fields.at(-1)!.push(byte)
    } else if (byte === delimiter) {
      row.fields.push([])
      state = 'start'
    } else if (byte === QUOTE && state === 'start') state = 'quoted'
    else if (byte === QUOTE && state === 'closed') {
      row.fields.at(-1)!.push(byte)
      state = 'quoted'
    } else {
      if (byte === QUOTE || byte === CR || state === 'closed') row.isBad = true
      row.fields.at(-1)!.push(byte)
      state = 'bare'
    }
  }
  const lastIsOpen = bytes.length > 0 && (bytes.at(-1) !== LF || state === ('quoted' as string))
  if (state === ('quoted' as string)) row.isBad = true
  if (lastIsOpen) endRow()
  return { rows, lastIsOpen }
}

function readCsv(
  bytes: readonly number[],
  { delimiter = ',', maxRecordBytes = 2 ** 24 }: ReferenceOptions,
  expected: Expected,
  isWhole: boolean,
): void {
  let separator = delimiter.charCodeAt(0)
  let body = bytes
  if (String.fromCharCode(...bytes.slice(0, 4)) === 'sep=' && [LF, CR, undefined].includes(bytes[5])) {
    const end = bytes[5] === CR ? 6 : 5
    if (bytes[4] !== undefined && bytes[4] !== LF && bytes[4] !== CR && (bytes[end] ?? LF) === LF) {
      if (separator !== 44 && bytes[4] !== separator) {
        expected.refused = 'names another delimiter'
        return
      }
      separator = bytes[4]
      body = bytes.slice(end + 1)
    }
  }
  const { rows, lastIsOpen } = rowsOf(body, separator)
  if (!isWhole && lastIsOpen) rows.pop()
  let names: (string | undefined)[] | undefined
  let width = 0
  for (const row of rows) {
    const isBad = row.isBad || row.lengthBytes > maxRecordBytes
    if (names === undefined) {
      if (row.lengthBytes === 0) continue
      names = row.fields.map(utf8Text)
      width = names.length
      while (names.length > 1 && names.at(-1) === '') names.pop()
      if (isBad || names.includes(undefined) || new Set(names).size < names.length) {
        expected.refused = 'bad header'
        return
      }
      continue
    }
    if (row.lengthBytes === 0 && width > 1) continue
    const values = row.fields.map(utf8Text)
    const fits = values.length >= names.length && values.length <= width
    const isStray = row.fields.slice(names.length).some((field) => field.length > 0)
    const isGood = !isBad && fits && !isStray && !values.includes(undefined)
    const value = names.map((name, index) => [name!, values[index]] as const)
    expected.records.push(isGood ? JSON.stringify(Object.fromEntries(value)) : undefined)
  }
}
