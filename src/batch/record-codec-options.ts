/** Options that say how a record becomes an argument and a result a line: the threads of a pool must know them from the start. */

import { checkBoolean, checkInteger, checkKeys, checkNumber, checkObject, checkOneOf } from '../base/checks.js'
import { OptionTypeError } from '../base/errors.js'
import type { RecordDecoding, ResultEncoding } from '../base/record-transfer.js'
import type { MapFileOptions } from './map-options.js'

/** How records stand in the input. */
export type RecordFormat = 'jsonl' | 'lines' | 'csv' | 'nul'
export const RECORD_FORMATS: readonly RecordFormat[] = ['jsonl', 'lines', 'csv', 'nul']

/** How results are written. */
export type OutputFormat = 'jsonl' | 'text'
export const OUTPUT_FORMATS: readonly OutputFormat[] = ['jsonl', 'text']

const LF = 0x0a
const NUL = 0x00

const KEYS = ['format', 'raw', 'output', 'envelope', 'groupSize', 'timeout'] as const

/** Options of a run that its threads must know from the start. */
export type RecordCodecOptions = Pick<MapFileOptions, (typeof KEYS)[number]>

/** What the threads make of them. */
export interface RecordCodec {
  readonly decoding: RecordDecoding
  readonly encoding: ResultEncoding
  readonly grouped: boolean
  readonly timed: boolean
  /** The byte behind each result: a line feed, or NUL where the input's records end with it. */
  readonly separator: number
}

/** Which options decide about a setting of the threads, for messages. */
export const OPTIONS_OF: Readonly<Record<keyof RecordCodec, string>> = {
  decoding: 'format and raw',
  encoding: 'format, raw, output and envelope',
  grouped: 'groupSize',
  timed: 'envelope and timeout',
  separator: 'format, output and envelope',
}

export function recordCodec(options: RecordCodecOptions): RecordCodec {
  const { format = 'jsonl', raw = false, output, envelope = false, groupSize = 1, timeout } = options
  const bareText = raw || format === 'lines' || format === 'nul'
  const isText = (output ?? (bareText ? 'text' : 'jsonl')) === 'text' && !envelope
  return {
    decoding: bareText ? 'text' : 'json',
    encoding: isText ? 'text' : 'json',
    grouped: groupSize > 1,
    timed: envelope || timeout?.medians !== undefined,
    separator: format === 'nul' && isText ? NUL : LF,
  }
}

/** Throws an option error for a value that cannot be used; `prefix` goes before the option's name. */
export function checkCodecOptions(options: RecordCodecOptions, prefix = ''): void {
  const { format, raw, output, envelope, groupSize, timeout } = options
  if (format !== undefined) checkOneOf(`${prefix}format`, format, RECORD_FORMATS)
  if (raw !== undefined) checkBoolean(`${prefix}raw`, raw)
  if (output !== undefined) checkOneOf(`${prefix}output`, output, OUTPUT_FORMATS)
  if (envelope !== undefined) checkBoolean(`${prefix}envelope`, envelope)
  if (groupSize !== undefined) checkInteger(`${prefix}groupSize`, groupSize, 1, 100_000)
  if (timeout !== undefined) checkTimeout(`${prefix}timeout`, timeout)
}

/** The codec of a pool: no other options than these. */
export function resolveCodecOptions(value: unknown): RecordCodec {
  const options = checkObject('codec', value ?? {}) as RecordCodecOptions
  checkKeys('codec', options, KEYS)
  checkCodecOptions(options, 'codec.')
  return recordCodec(options)
}

function checkTimeout(option: string, value: unknown): void {
  const { ms, medians } = checkObject(option, value) as { ms?: unknown; medians?: unknown }
  checkKeys(option, value as object, ['ms', 'medians'])
  if (ms !== undefined) checkNumber(`${option}.ms`, ms, 0, 2 ** 40)
  if (medians !== undefined) checkNumber(`${option}.medians`, medians, 0, 1e9)
  if (ms === undefined && medians === undefined) throw new OptionTypeError(option, 'expected { ms } or { medians }')
}
