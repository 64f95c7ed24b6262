/**
 * From the bytes of a record to the argument of a task, and from a result to a line of the output or another answer.
 */

import { isUtf8 } from 'node:buffer'
import { types } from 'node:util'
import { plainError } from './plain-error.js'
import type { RecordAnswer, RecordDecoding, RecordFault, ResultEncoding } from './record-transfer.js'

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
 * One line, without its newline. JSON.stringify writes lone surrogates as escapes by itself. `undefined` is written as
 * `null`, so that every record has its line. A result that cannot be written (a function, a symbol, a generator)
 * throws. That is the task's failure, whatever is done about bad records.
 */
export function encodeResult(result: unknown, encoding: ResultEncoding): EncodedResult {
  if (encoding === 'text' && typeof result === 'string') {
    const escaped = /\p{Surrogate}/u.test(result)
    return { line: escaped ? escapeLoneSurrogates(result) : result, escaped }
  }
  if (typeof result === 'function' || typeof result === 'symbol') {
    throw new TypeError(`the result is a ${typeof result}, which JSON has no word for`)
  }
  const line = jsonOf(result)
  // Checked only when JSON shows nothing, because the check is a call into native code.
  if (line === '{}' && types.isGeneratorObject(result)) {
    throw new TypeError('the result is a generator: a record has one result, so return it, or an array')
  }
  return { line, escaped: false }
}

/**
 * The answer of a record that succeeded: its line alone, unless there is more to say. `runMs`: only when it is asked
 * for.
 */
export function resultAnswer(
  result: unknown,
  encoding: ResultEncoding,
  changedNumber: boolean,
  runMs: number | undefined,
): RecordAnswer {
  const { line, escaped } = encodeResult(result, encoding)
  if (runMs === undefined && !changedNumber && !escaped) return line
  return {
    line,
    ...(runMs === undefined ? {} : { runMs }),
    ...(changedNumber ? { warning: 'number' as const } : escaped ? { warning: 'surrogate' as const } : {}),
  }
}

/** The answer of a record that cannot be read. Any other error is thrown on. */
export function faultAnswer(error: unknown): RecordAnswer {
  if (error instanceof RecordFaultError) return { fault: error.fault, message: error.message }
  throw error
}

/** The answer of one record of several whose task failed. */
export function errorAnswer(thrown: unknown): RecordAnswer {
  return { error: plainError(thrown) }
}

/** Records that go into one call of the task. Bad ones are left out of it and have their answers already. */
export interface RecordGroup {
  readonly values: readonly unknown[]
  /** Of each value: its place among the records, and whether parsing changed a number in it. */
  readonly positions: readonly number[]
  readonly changedNumbers: readonly boolean[]
  readonly answers: RecordAnswer[]
}

/** `textOf` gives the text of a record, or throws a `RecordFaultError`. */
export function decodeGroup<Source>(
  records: readonly Source[],
  textOf: (record: Source) => string,
  decoding: RecordDecoding,
): RecordGroup {
  const values: unknown[] = []
  const positions: number[] = []
  const changedNumbers: boolean[] = []
  const answers: RecordAnswer[] = new Array(records.length)
  for (const [index, record] of records.entries()) {
    try {
      const decoded = decodeRecord(textOf(record), decoding)
      values.push(decoded.value)
      changedNumbers.push(decoded.losesNumber)
      positions.push(index)
    } catch (error) {
      answers[index] = faultAnswer(error)
    }
  }
  return { values, positions, changedNumbers, answers }
}

/** One answer for each record of the group, in their order. An `Error` among the results fails its own record. */
export function groupAnswers(
  { values, positions, changedNumbers, answers }: RecordGroup,
  results: unknown,
  encoding: ResultEncoding,
  runMs: number | undefined,
): RecordAnswer[] {
  if (!Array.isArray(results) || results.length !== values.length) {
    throw new TypeError(`a task that gets ${values.length} records must return an array of ${values.length} results`)
  }
  for (const [at, index] of positions.entries()) {
    const result: unknown = results[at]
    try {
      answers[index] = isError(result)
        ? errorAnswer(result)
        : resultAnswer(result, encoding, changedNumbers[at]!, runMs)
    } catch (error) {
      // A result that cannot be written fails its own record, not those beside it.
      answers[index] = errorAnswer(error)
    }
  }
  return answers
}

/** Of another realm too, such as that of a `vm` context. */
function isError(value: unknown): boolean {
  return value instanceof Error || types.isNativeError(value)
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

/*
 * Numbers that JSON.parse does not keep: integers beyond 2^53, more digits than a double holds, exponents out of range.
 * Two cheap patterns (about 11 ns a record) decide whether the exact look is needed.
 */

/**
 * A double may lose a number of sixteen digits or more. The pattern is spelled out, because then the engine looks only
 * at every eighth character of ordinary text: 4 ns a record instead of 53 with a counted repetition.
 */
const LONG = new RegExp(`[0-9]${'[0-9.]'.repeat(15)}`)
/** Exponents of three digits may overflow. */
const WIDE = /[0-9][eE][+-]?[0-9][0-9][0-9]/

/** Strings are matched to be passed over. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g

/** Digits without zeros at either end, and the power of ten behind them: equal for equal values. */
function canonical(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().replace('-', '').split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const trimmed = digits.replace(/0+$/, '')
  if (trimmed === '') return '0'
  return `${trimmed}e${Number(exponent) - fraction.length + digits.length - trimmed.length}`
}

/** False only if no number in these JSON texts, one or many in any order, can be changed by parsing. */
export function mayLoseNumber(text: string): boolean {
  return LONG.test(text) || WIDE.test(text)
}

/** Whether parsing this valid JSON text changes a number in it. */
export function losesNumber(text: string): boolean {
  if (!mayLoseNumber(text)) return false
  for (const [token] of text.matchAll(STRING_OR_NUMBER)) {
    if (token.startsWith('"') || token.length < 5) continue
    const value = Number(token)
    if (!Number.isFinite(value) || canonical(token) !== canonical(String(value))) return true
  }
  return false
}
