/** From the bytes of a record to the argument of a task, and from a result to a line of the output. */

import { isUtf8 } from 'node:buffer'
import { types } from 'node:util'
import { losesNumber } from './number-loss.js'
import type { RecordDecoding, RecordFault, ResultEncoding } from './record-transfer.js'

export class RecordFaultError extends Error {
  readonly fault: RecordFault

  constructor(fault: RecordFault, message: string) {
    super(message)
    this.fault = fault
  }
}

export interface DecodedRecord {
  readonly value: unknown
  readonly losesNumber: boolean
}

/**
 * Decodes strictly: invalid UTF-8 is a fault and never becomes U+FFFD. The lenient decoder is three times
 * faster than the strict one, so it goes first, and only text with U+FFFD in it is checked.
 */
export function decodeText(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end)
  if (text.includes('\ufffd') && !isUtf8(bytes.subarray(start, end))) {
    throw new RecordFaultError('utf8', 'record is not valid UTF-8')
  }
  return text
}

export function decodeRecord(text: string, decoding: RecordDecoding): DecodedRecord {
  if (decoding === 'text') return { value: text, losesNumber: false }
  try {
    return { value: JSON.parse(text), losesNumber: losesNumber(text) }
  } catch (error) {
    if (error instanceof RangeError) throw new RecordFaultError('depth', 'record is nested too deeply')
    throw new RecordFaultError('json', `record is not valid JSON: ${(error as Error).message}`)
  }
}

export interface EncodedResult {
  readonly line: string
  /** The text has a lone surrogate, which UTF-8 cannot hold; it is written as an escape. */
  readonly escaped: boolean
}

function escapeLoneSurrogates(text: string): string {
  return text.replace(/[\ud800-\udfff]/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`)
}

/**
 * One line, without its newline. JSON.stringify writes lone surrogates as escapes by itself. A result that JSON
 * has no word for (`undefined`, a function) is written as `null`, so that every record has its line. What cannot be
 * written, a generator included, is the task's failure and throws, whatever is done about bad records.
 */
export function encodeResult(result: unknown, encoding: ResultEncoding): EncodedResult {
  if (encoding === 'text' && typeof result === 'string') {
    const escaped = /\p{Surrogate}/u.test(result)
    return { line: escaped ? escapeLoneSurrogates(result) : result, escaped }
  }
  const line = jsonOf(result)
  // Looked at only where JSON shows nothing, since the question costs a call into native code.
  if (line === '{}' && types.isGeneratorObject(result)) {
    throw new TypeError('the result is a generator: a record has one result, so return it, or an array')
  }
  return { line, escaped: false }
}

function jsonOf(result: unknown): string {
  try {
    return JSON.stringify(result) ?? 'null'
  } catch (error) {
    // Any other RangeError (a text too long, one thrown by a toJSON) says itself what is wrong.
    const isDepth = error instanceof RangeError && error.message.startsWith('Maximum call stack')
    throw isDepth ? new RangeError('the result is nested too deeply to be written', { cause: error }) : error
  }
}
