/**
 * Options that say how a record becomes an argument and a result a line: the threads of a pool must know them from the
 * start.
 */

import { ownOptions } from '../../base/checks.js'
import type { RecordDecoding, ResultEncoding } from '../../records/record-transfer.js'
import { checkCodecOptions, isBareText, type RecordCodecOptions } from './map-options.js'

const LF = 0x0a
const NUL = 0x00

const KEYS: readonly (keyof RecordCodecOptions)[] = ['format', 'raw', 'output', 'envelope', 'groupSize', 'timeout']

/** The settings of the threads that follow from these options. */
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
  const bareText = isBareText({ format, raw })
  const isText = (output ?? (bareText ? 'text' : 'jsonl')) === 'text' && !envelope
  return {
    decoding: bareText ? 'text' : 'json',
    encoding: isText ? 'text' : 'json',
    grouped: groupSize > 1,
    timed: envelope || timeout?.medians !== undefined,
    separator: format === 'nul' && isText ? NUL : LF,
  }
}

/** The codec of a pool: no other options than these. */
export function resolveCodecOptions(value: unknown): RecordCodec {
  const options = ownOptions('codec', value ?? {}, KEYS) as RecordCodecOptions
  return recordCodec(checkCodecOptions(options, 'codec.'))
}
