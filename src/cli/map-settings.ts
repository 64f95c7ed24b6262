/** Translates the command's options to the library's, and option names in the library's errors back to flags. */

import { defaultParallelism } from '../base/parallelism.js'
import { freeMemoryGate, loadGate, memoryGate } from '../batch/flow/admission.js'
import { BatchUsageError } from '../batch/options/batch-errors.js'
import type { HaltRule } from '../batch/options/halt-rule.js'
import type { AdmissionGate, MapFileOptions } from '../batch/options/map-options.js'
import type { RecordPoolOptions } from '../batch/record-pool.js'
import type { MapArguments } from './map-arguments.js'
import type { ModuleReference } from './module-reference.js'

/** At least one thread, whatever the percentage. `0` means one per CPU, as with xargs. */
export function threadCount({ threads }: Pick<MapArguments, 'threads'>, cpus = defaultParallelism()): number {
  if (threads === undefined) return cpus
  if ('share' in threads) return Math.max(1, Math.round(threads.share * cpus))
  return threads.count === 0 ? cpus : threads.count
}

export function poolSettings(given: MapArguments, module: ModuleReference): RecordPoolOptions {
  const { concurrency, strategy, format, raw, output, envelope, batch, timeout } = given
  return {
    module: module.url,
    task: module.task,
    concurrency,
    codec: defined({ format, raw, output, envelope, groupSize: batch, timeout }),
    dispatcher: defined({ workers: threadCount(given), strategy }),
  }
}

export function runSettings(given: MapArguments, module: ModuleReference): MapFileOptions {
  const { sample, journal, strategy, halt, maxErrors } = given
  if (given.format === 'csv' && given.raw) throw new BatchUsageError('--raw is not for csv, whose rows are parsed')
  const rules: HaltRule[] = []
  if (halt !== undefined) rules.push(halt)
  if (maxErrors !== undefined) rules.push(maxErrors)
  return defined({
    in: given.in ?? ['-'],
    out: given.out,
    format: given.format,
    raw: given.raw,
    delimiter: given.delimiter === '\\t' ? '\t' : given.delimiter,
    maxRecordBytes: given.maxLine,
    onBadRecord: given.onBadRecord,
    output: given.output,
    envelope: given.envelope,
    errors: given.errors,
    keepOrder: given.keepOrder,
    orderSpan: given.orderSpan,
    groupSize: given.batch,
    perSecond: given.rate,
    gates: gates(given),
    retries: {
      times: given.retries,
      delayMs: given.retryDelayMs,
      factor: given.retryFactor,
      jitter: given.retryJitter,
    },
    timeout: given.timeout,
    halt: rules,
    skip: given.skip,
    limit: given.limit,
    sample: sample === undefined ? undefined : 'share' in sample ? sample.share : sample,
    seed: given.seed,
    total: given.total,
    key: given.key,
    // Only this strategy uses keys. With any other, a key would only keep a record from a free worker.
    keysChooseWorker: given.key !== undefined && strategy?.name === 'consistent-hash',
    journal: journal === true ? undefined : journal,
    resume: given.resume,
    resumeAnyway: given.resumeAnyway,
    force: given.force,
    identity: { task: module.task ?? 'default' },
    versions: { module: module.path, 'module text': module.sha256 },
  })
}

function gates({ maxLoad, maxRss, minFree }: MapArguments): AdmissionGate[] {
  const list: AdmissionGate[] = []
  if (maxLoad !== undefined) list.push(loadGate(maxLoad))
  if (maxRss !== undefined) list.push(memoryGate(maxRss))
  if (minFree !== undefined) list.push(freeMemoryGate(minFree))
  return list
}

/** Without the options that were not given, so that defaults apply. */
function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }
}

/** Flags by option, where the library's name differs. */
const FLAGS: Readonly<Record<string, string>> = {
  maxRecordBytes: '--max-line',
  groupSize: '--batch',
  perSecond: '--rate',
  orderSpan: '--order-span',
  workers: '--threads',
  'workers.max': '--threads',
  ioWindow: '--concurrency',
  'retries.times': '--retries',
  'retries.delayMs': '--retry-delay',
  'retries.factor': '--retry-factor',
  'retries.jitter': '--retry-jitter',
  'sample.count': '--sample',
  resumeAnyway: '--resume-anyway',
}

/** Options whose flags have the same name. */
const ALIKE = ['sample', 'key', 'delimiter', 'skip', 'limit', 'total', 'seed']

/** The message of a library error, with the flag in place of the option's name. */
export function messageInFlags(error: Error): string {
  const { message } = error
  const { option } = error as { option?: unknown }
  if (typeof option !== 'string' || !message.startsWith(`${option}: `)) return message
  const flag = Object.hasOwn(FLAGS, option) ? FLAGS[option] : ALIKE.includes(option) ? `--${option}` : undefined
  return flag === undefined ? message : flag + message.slice(option.length)
}
