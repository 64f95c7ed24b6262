/** The options of `evenkeel map`: names, help texts and parsers. */

import { Command, InvalidArgumentError, Option } from 'commander'
import { defaultParallelism } from '../base/parallelism.js'
import { parseHalt, parseMaxErrors } from '../batch/options/halt-rule.js'
import { OUTPUT_FORMATS, RECORD_FORMATS, RESUME_POLICIES } from '../batch/options/map-options.js'
import { PROGRESS_MODES } from './progress.js'
import {
  parseAmount,
  parseCount,
  parseCountOrShare,
  parseDurationMs,
  parseRatePerSecond,
  parseSizeBytes,
} from './quantities.js'
import { parseStrategy } from './strategy-argument.js'

function gather(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value]
}

/** Wraps a parser of the library, so that its errors are commander's. */
function checked<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message)
    }
  }
}

function parseTimeout(text: string): { ms: number } | { medians: number } {
  if (!text.endsWith('%')) return { ms: parseDurationMs(text) }
  return { medians: parseAmount(text.slice(0, -1)) / 100 }
}

function positive(text: string): number {
  const value = parseCount(text)
  if (value === 0) throw new InvalidArgumentError('expected at least 1')
  return value
}

function parsePort(text: string): number {
  if (!/^[0-9]{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError('expected a port from 0 to 65535; for a free one, put the module before the option')
  }
  return Number(text)
}

function option<T>(flags: string, description: string, parse?: (text: string, before: T) => T): Option {
  const made = new Option(flags, description)
  return parse === undefined ? made : made.argParser(parse)
}

/** Names the parsed value with its unit, which the flag does not have. */
function named(name: keyof MapArguments, made: Option): Option {
  made.attributeName = () => name
  return made
}

const GROUPS: readonly (readonly [string, readonly Option[]])[] = [
  [
    'Input and output:',
    [
      option('-i, --in <file>', 'input: file, glob pattern or - for stdin; may be given again (default: -)', gather),
      option('-o, --out <file>', 'output file, or - for stdout').default('-'),
      option('--format <format>', 'what a record is').choices(RECORD_FORMATS).default('jsonl'),
      option('--raw', 'hand over the text of a record, unparsed, byte for byte'),
      option('--delimiter <text>', 'field separator of csv').default(','),
      option('--max-line <size>', 'longest record; a longer one is a bad record', parseSizeBytes).default(
        2 ** 24,
        '16MiB',
      ),
      option('--on-bad-record <policy>', 'what a record that cannot be read does')
        .choices(['fail', 'skip', 'error'])
        .default('error'),
      option('--output <format>', 'how results are written (default: text for lines, nul and --raw)').choices(
        OUTPUT_FORMATS,
      ),
      option('--envelope', 'write {id, ok, value | error, attempt, ms} for every record'),
      option('--errors <file>', 'write failed records with their errors to this file'),
      option('-k, --keep-order', 'write results in input order (default when the output is a regular file)'),
      option('--no-keep-order', 'write results as they come'),
      option(
        '--order-span <n>',
        'most records held between the oldest unfinished one and the newest',
        positive,
      ).default(65_536),
    ],
  ],
  [
    'Work:',
    [
      option(
        '-j, --threads <n|n%>',
        `worker threads (default, and for 0: the CPUs this process may use, ${defaultParallelism()})`,
        parseCountOrShare,
      ),
      option('--concurrency <n>', 'records that an asynchronous task runs side by side on a thread', positive),
      option('--batch <n>', 'hand n records at once, as an array, to a task that returns an array', positive).default(
        1,
      ),
      option('--strategy <name>', 'how a worker is chosen; see the list below', parseStrategy),
      option('--timeout <d|n%>', 'longest run of a record, absolute or in percent of the median', parseTimeout),
      option('--retries <n>', 'further tries of a failed record', parseCount).default(0),
      named(
        'retryDelayMs',
        option('--retry-delay <d>', 'wait before the first further try', parseDurationMs).default(1000, '1s'),
      ),
      option('--retry-factor <x>', 'each further wait is this many times as long', parseAmount).default(2),
      option('--retry-jitter <x>', 'share of the wait that is drawn at random', parseAmount).default(0.5),
    ],
  ],
  [
    'Flow:',
    [
      option('--halt <rule>', 'never, or now|soon,fail|success|done=N|N%', checked(parseHalt)),
      option('--max-errors <n|n%>', 'stop when more records than this have failed', checked(parseMaxErrors)),
      option('--rate <n/s>', 'most records started per second (/m and /h too)', parseRatePerSecond),
      option('--max-load <x>', 'start nothing while the load average is above this', parseAmount),
      option('--max-rss <size>', 'start nothing while this process uses more memory', parseSizeBytes),
      option('--min-free <size>', 'start nothing while the machine has less memory free', parseSizeBytes),
      option('--skip <n>', 'pass over the first n records', parseCount).default(0),
      option('--limit <n>', 'take at most n records', parseCount),
      option('--sample <n|n%>', 'take only some records, drawn at random', parseCountOrShare),
      option('--seed <n>', 'seed of the sample', parseCount).default(1),
      option('--total <n>', 'number of records, for the progress of a stream', parseCount),
      named('graceMs', option('--grace <d>', 'after a signal, abort what still runs this much later', parseDurationMs)),
    ],
  ],
  [
    'Journal:',
    [
      option('--journal <file>', 'where the run is noted down (default: beside the output)'),
      option('--no-journal', 'note nothing down; the run cannot be resumed'),
      option('--resume [which]', `take up an earlier run: ${RESUME_POLICIES.join(', ')} (default: unfinished)`)
        .choices(RESUME_POLICIES)
        .preset('unfinished'),
      option('--resume-anyway', 'resume although the input has changed'),
      option('--force', 'overwrite an output that is not empty'),
      option('--key <pointer>', 'JSON pointer to what identifies a record, such as /id'),
    ],
  ],
  [
    'Display:',
    [
      option('--progress <mode>', 'how progress is shown, on stderr').choices(PROGRESS_MODES).default('auto'),
      option(
        '--dashboard [port]',
        'serve a live page of the run; its URL is on stderr (default: a free port)',
        parsePort,
      ),
      option('--dry-run', 'read and check the input, run nothing, write nothing'),
      option('--exit-zero', 'exit with 0 although records failed'),
    ],
  ],
]

/** The parsed options, as commander names them. */
export interface MapArguments {
  readonly in?: string[]
  readonly out: string
  readonly format: (typeof RECORD_FORMATS)[number]
  readonly raw?: boolean
  readonly delimiter: string
  readonly maxLine: number
  readonly onBadRecord: 'fail' | 'skip' | 'error'
  readonly output?: (typeof OUTPUT_FORMATS)[number]
  readonly envelope?: boolean
  readonly errors?: string
  readonly keepOrder?: boolean
  readonly orderSpan: number
  readonly threads?: ReturnType<typeof parseCountOrShare>
  readonly concurrency?: number
  readonly batch: number
  readonly strategy?: ReturnType<typeof parseStrategy>
  readonly timeout?: { ms?: number; medians?: number }
  readonly retries: number
  readonly retryDelayMs: number
  readonly retryFactor: number
  readonly retryJitter: number
  readonly halt?: ReturnType<typeof parseHalt>
  readonly maxErrors?: ReturnType<typeof parseMaxErrors>
  readonly rate?: number
  readonly maxLoad?: number
  readonly maxRss?: number
  readonly minFree?: number
  readonly skip: number
  readonly limit?: number
  readonly sample?: ReturnType<typeof parseCountOrShare>
  readonly seed: number
  readonly total?: number
  readonly graceMs?: number
  /** `true` for the default file, `false` for none. */
  readonly journal?: string | boolean
  readonly resume?: (typeof RESUME_POLICIES)[number]
  readonly resumeAnyway?: boolean
  readonly force?: boolean
  readonly key?: string
  readonly progress: (typeof PROGRESS_MODES)[number]
  /** `true` when no port was named. */
  readonly dashboard?: number | true
  readonly dryRun?: boolean
  readonly exitZero?: boolean
}

/** The command with its options, without an action. */
export function mapProgram(): Command {
  const command = new Command('map')
    .description('call a function of a module for every record of a file, on all cores')
    .argument('<module[#task]>', 'JavaScript module and the function it exports; builtin:fingerprint is one to try')
  for (const [heading, options] of GROUPS) {
    for (const made of options) {
      made.helpGroup(heading)
      command.addOption(made)
    }
  }
  return command
}
