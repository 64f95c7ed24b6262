/** The options of a batch run, their defaults, and the one function that checks them. */

import type { Readable } from 'node:stream'
import { checkBoolean, checkInteger, checkNumber, checkOneOf, checkString, ownOptions } from '../../base/checks.js'
import { type Clock, systemClock } from '../../base/clock.js'
import { OptionRangeError, OptionTypeError } from '../../base/errors.js'
import { type RandomSource, systemRandom } from '../../base/random.js'
import type { HaltRule } from './halt-rule.js'

/** How records stand in the input. */
export type RecordFormat = 'jsonl' | 'lines' | 'csv' | 'nul'
export const RECORD_FORMATS: readonly RecordFormat[] = ['jsonl', 'lines', 'csv', 'nul']

/** How results are written. */
export type OutputFormat = 'jsonl' | 'text'
export const OUTPUT_FORMATS: readonly OutputFormat[] = ['jsonl', 'text']

/** Which records of an earlier run are done again. */
export type ResumePolicy = 'unfinished' | 'failed' | 'all'
export const RESUME_POLICIES: readonly ResumePolicy[] = ['unfinished', 'failed', 'all']

/** What happens on a record that cannot be read: the run stops, the record is skipped, or it counts as failed. */
export type BadRecordPolicy = 'fail' | 'skip' | 'error'
const BAD_RECORD_POLICIES: readonly BadRecordPolicy[] = ['fail', 'skip', 'error']

/** Something that may hold records back, such as a memory limit. */
export interface AdmissionGate {
  readonly name: string
  /** Why nothing may start now, or `undefined`. Called every poll. */
  closedBecause(): Promise<string | undefined>
}

/** How often a failed record is tried again, and when. The public name is `RetryOptions`, of `evenkeel/batch`. */
export interface RecordRetries {
  /** Tries beyond the first. */
  readonly times: number
  /** Wait before the second try, ms. */
  readonly delayMs: number
  /** Each further wait is this many times as long. */
  readonly factor: number
  /** Share of the wait that is drawn at random, 0..1: at 0.5 a wait is 0.75 to 1.25 times its length. */
  readonly jitter: number
}

export const NO_RETRIES: RecordRetries = { times: 0, delayMs: 1000, factor: 2, jitter: 0.5 }

/** What `mapFile` takes. */
export interface MapFileOptions {
  /** The task of the dispatcher's module; not for a record pool, which knows its task. */
  readonly task?: string
  /** Files, glob patterns, `-` for standard input; read in this order. */
  readonly in: string | readonly string[]
  /** A file, or `-` for standard output. */
  readonly out: string
  /** Default `jsonl`. */
  readonly format?: RecordFormat
  /** Hand every record over as its text, unparsed, and write string results bare. Default false. */
  readonly raw?: boolean
  /** Field separator of CSV. Default `,`. */
  readonly delimiter?: string
  /** Longest record; a longer one is a bad record. Default 16 MiB. */
  readonly maxRecordBytes?: number
  /** What a bad record does. Default `error`: it counts as failed, is reported, and the run goes on. */
  readonly onBadRecord?: BadRecordPolicy
  /** Default: `text` for lines, NUL-separated and raw records, else `jsonl`. */
  readonly output?: OutputFormat
  /** Write every result, failed ones too, as an object with id, value or error, attempt and ms. Default false. */
  readonly envelope?: boolean
  /** File for failed records. Default: none. */
  readonly errors?: string
  /** Write results in input order. Default: true when the output is a regular file. */
  readonly keepOrder?: boolean
  /** The most records between the oldest unsettled one and the newest, in order. Default 65,536. */
  readonly orderSpan?: number
  /** Records handed to one call of the task, as an array. Default 1: the record itself. */
  readonly groupSize?: number
  /** Most records started per second. Default: no limit. */
  readonly perSecond?: number
  /** Further conditions that hold records back. */
  readonly gates?: readonly AdmissionGate[]
  /** How often a failed record is tried again, and after which wait. Default: never. */
  readonly retries?: Partial<RecordRetries>
  /** Longest run of a record: milliseconds, or a multiple of the median run time. Default: none. */
  readonly timeout?: { readonly ms?: number; readonly medians?: number }
  /** Rules that stop the run. Default: none. */
  readonly halt?: readonly HaltRule[]
  /** Records left out at the start. Default 0. */
  readonly skip?: number
  /** Records done at most. Default: all. */
  readonly limit?: number
  /** Share of the records (0..1), or `{ count }` for a number of them (regular files only). Default: all. */
  readonly sample?: number | { readonly count: number }
  /** Seed of the sample. Default 1. */
  readonly seed?: number
  /** Number of records, for progress on inputs of unknown size. */
  readonly total?: number
  /** JSON pointer (RFC 6901) to what identifies a record. Default: its place and text. */
  readonly key?: string
  /** Records of equal keys go to one worker. Default false. */
  readonly keysChooseWorker?: boolean
  /** Journal file, or false for none. Default: beside the output when that is a regular file. */
  readonly journal?: string | false
  /** Take up an earlier run, and which of its records. */
  readonly resume?: ResumePolicy
  /** Resume although the input, the output's text or the identity changed; only with `resume`. Default false. */
  readonly resumeAnyway?: boolean
  /** Overwrite an output that has something in it. Default false. */
  readonly force?: boolean
  /**
   * Noted in the journal; a run with another one is not taken up. For what makes results comparable, such as a task's
   * name.
   */
  readonly identity?: Readonly<Record<string, string>>
  /**
   * Noted in the journal; a change on resume causes a warning. For what may be corrected, such as the module's hash.
   */
  readonly versions?: Readonly<Record<string, string>>
  /** What `-` among the inputs stands for. Default: the process's standard input. */
  readonly standardInput?: Readable
  /** Source of time. */
  readonly clock?: Clock
  /** Source of randomness, for the jitter of retries. */
  readonly random?: RandomSource
}

/** Options of a run that its threads must know from the start. */
export type RecordCodecOptions = Pick<
  MapFileOptions,
  'format' | 'raw' | 'output' | 'envelope' | 'groupSize' | 'timeout'
>

type Defaulted =
  | 'format'
  | 'raw'
  | 'delimiter'
  | 'maxRecordBytes'
  | 'onBadRecord'
  | 'envelope'
  | 'orderSpan'
  | 'groupSize'
  | 'gates'
  | 'halt'
  | 'skip'
  | 'limit'
  | 'seed'
  | 'keysChooseWorker'
  | 'resumeAnyway'
  | 'force'
  | 'identity'
  | 'versions'
  | 'clock'
  | 'random'

export type ResolvedMapOptions = Omit<MapFileOptions, Defaulted | 'in' | 'output' | 'retries'> &
  Required<Pick<MapFileOptions, Defaulted | 'output'>> & {
    readonly in: readonly string[]
    readonly retries: RecordRetries
  }

const DEFAULTS = Object.freeze({
  format: 'jsonl',
  raw: false,
  delimiter: ',',
  maxRecordBytes: 16 * 2 ** 20,
  onBadRecord: 'error',
  envelope: false,
  orderSpan: 65_536,
  groupSize: 1,
  gates: [],
  halt: [],
  skip: 0,
  limit: Number.POSITIVE_INFINITY,
  seed: 1,
  keysChooseWorker: false,
  resumeAnyway: false,
  force: false,
  identity: {},
  versions: {},
} as const)

const OPTIONAL_KEYS = [
  'task',
  'output',
  'errors',
  'keepOrder',
  'perSecond',
  'retries',
  'timeout',
  'sample',
  'total',
  'key',
  'journal',
  'resume',
  'standardInput',
  'clock',
  'random',
  'in',
  'out',
] as const

/** The longest string of V8 limits the length of a record. */
const MAX_RECORD_BYTES = 2 ** 29 - 25

/** Names of standard output. Opened again by name, it would be written from its start; a socket cannot be opened. */
const STANDARD_OUTPUT_NAMES: readonly string[] = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']

/** Throws an option error (`EVENKEEL_INVALID_OPTION`) that names the option. */
export function resolveMapOptions(value: unknown): ResolvedMapOptions {
  const given = ownOptions('', value, [...Object.keys(DEFAULTS), ...OPTIONAL_KEYS])
  const options: Omit<ResolvedMapOptions, 'in'> & { in: unknown } = checkCodecOptions(
    Object.assign(Object.create(null), DEFAULTS, given),
  )
  const inputs = typeof options.in === 'string' ? [options.in] : options.in
  if (!Array.isArray(inputs) || inputs.length === 0)
    throw new OptionTypeError('in', 'expected a name or a list of names')
  for (const name of inputs) checkString('in', name)
  checkString('out', options.out)
  checkOneOf('onBadRecord', options.onBadRecord, BAD_RECORD_POLICIES)
  if (options.resume !== undefined) checkOneOf('resume', options.resume, RESUME_POLICIES)
  else if (options.resumeAnyway === true)
    throw new OptionRangeError('resumeAnyway', 'there is nothing to resume without resume')
  for (const name of ['keysChooseWorker', 'resumeAnyway', 'force'] as const) {
    checkBoolean(name, options[name])
  }
  if (options.keepOrder !== undefined) checkBoolean('keepOrder', options.keepOrder)
  for (const name of ['task', 'errors', 'key', 'delimiter'] as const) {
    if (options[name] !== undefined) checkString(name, options[name])
  }
  if (options.delimiter === '' || /["\r\n]/.test(options.delimiter)) {
    throw new OptionRangeError('delimiter', 'must not be empty, nor hold a quote or a line end')
  }
  checkInteger('maxRecordBytes', options.maxRecordBytes, 1, MAX_RECORD_BYTES)
  checkInteger('orderSpan', options.orderSpan, 1, 2 ** 24)
  checkInteger('skip', options.skip, 0)
  if (options.limit !== Number.POSITIVE_INFINITY) checkInteger('limit', options.limit, 0)
  if (options.total !== undefined) checkInteger('total', options.total, 0)
  if (options.perSecond !== undefined) checkNumber('perSecond', options.perSecond, 0.001, 1e9)
  if (typeof options.sample === 'number') checkNumber('sample', options.sample, 0, 1)
  else if (options.sample !== undefined) checkInteger('sample.count', options.sample.count, 1)
  if (options.key !== undefined && options.key !== '' && !options.key.startsWith('/')) {
    throw new OptionTypeError('key', `expected a JSON pointer such as /id, got '${options.key}'`)
  }
  const retries: RecordRetries = { ...NO_RETRIES, ...options.retries }
  checkInteger('retries.times', retries.times, 0)
  checkNumber('retries.delayMs', retries.delayMs, 0, 2 ** 40)
  checkNumber('retries.factor', retries.factor, 1, 100)
  checkNumber('retries.jitter', retries.jitter, 0, 1)
  return Object.assign(options, {
    in: inputs,
    out: STANDARD_OUTPUT_NAMES.includes(options.out) ? '-' : options.out,
    retries,
    output: options.output ?? (isBareText(options) ? 'text' : 'jsonl'),
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
  })
}

/** Where a run is noted down, or `undefined`: without a journal, and for standard output. */
export function journalPath({ out, journal }: Pick<ResolvedMapOptions, 'out' | 'journal'>): string | undefined {
  return out === '-' || journal === false ? undefined : (journal ?? `${out}.journal`)
}

/** Whether records and results are plain text unless the options say otherwise. */
export function isBareText({ format, raw }: Pick<MapFileOptions, 'format' | 'raw'>): boolean {
  return raw === true || format === 'lines' || format === 'nul'
}

/**
 * The options, with a timeout of their own. Throws an option error for a value that cannot be used; `prefix` goes
 * before the option's name.
 */
export function checkCodecOptions<Options extends RecordCodecOptions>(options: Options, prefix = ''): Options {
  const { format, raw, output, envelope, groupSize, timeout } = options
  if (format !== undefined) checkOneOf(`${prefix}format`, format, RECORD_FORMATS)
  if (raw !== undefined) checkBoolean(`${prefix}raw`, raw)
  if (output !== undefined) checkOneOf(`${prefix}output`, output, OUTPUT_FORMATS)
  if (envelope !== undefined) checkBoolean(`${prefix}envelope`, envelope)
  if (groupSize !== undefined) checkInteger(`${prefix}groupSize`, groupSize, 1, 100_000)
  if (timeout === undefined) return options
  return Object.assign(Object.create(null), options, { timeout: timeoutOf(`${prefix}timeout`, timeout) })
}

function timeoutOf(option: string, value: unknown): object {
  const timeout = ownOptions(option, value, ['ms', 'medians'])
  const { ms, medians } = timeout
  if (ms !== undefined) checkNumber(`${option}.ms`, ms, 0, 2 ** 40)
  if (medians !== undefined) checkNumber(`${option}.medians`, medians, 0, 1e9)
  if (ms === undefined && medians === undefined) throw new OptionTypeError(option, 'expected { ms } or { medians }')
  return timeout
}
