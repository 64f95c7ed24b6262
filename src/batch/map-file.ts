/** Maps a task over the records of files: `mapFile` puts a run together from its parts. */

import { fstat } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { loadPQueue } from '../base/packages.js'
import { defaultParallelism } from '../base/parallelism.js'
import { setImmediate } from '../base/timers.js'
import { BatchRun } from './batch-run.js'
import { Admission } from './flow/admission.js'
import { InFlightLimit } from './flow/in-flight-limit.js'
import { type RecordRunner, type TaskRunner, ValueRecordRunner } from './flow/record-runner.js'
import { RetryPolicy } from './flow/retry-policy.js'
import { RunTimes } from './flow/run-times.js'
import { OpenSpan, OrderedSpan } from './flow/spans.js'
import type { ByteSource } from './input/byte-source.js'
import { findInputs } from './input/input-files.js'
import { filterOptions, RecordFilter } from './input/record-filter.js'
import { openReader, separatorOf } from './input/record-reader.js'
import { LF } from './input/text-bytes.js'
import { RunHistory } from './journal/run-history.js'
import { type BatchOutputError, BatchUsageError } from './options/batch-errors.js'
import { recordCodec } from './options/codec-options.js'
import { journalPath, type MapFileOptions, type ResolvedMapOptions, resolveMapOptions } from './options/map-options.js'
import { AppendSink } from './output/append-sink.js'
import { type OutputFile, openOutput, outputState } from './output/output-file.js'
import { RecordWriter } from './output/record-writer.js'
import { type PoolShare, RecordPool } from './record-pool.js'
import { RecordArena } from './records/record-arena.js'

/**
 * The most records in flight for each worker, and in all: a few dozen stretches. More gains nothing and outlives the
 * collection of young garbage: sent one by one, 4,096 in flight cost 17 % more CPU than 512 with two workers.
 */
const MAX_PER_WORKER = 512
const FEWEST_AT_MOST = 1024

/**
 * Calls a task for every record of the inputs and writes the results.
 *
 * `target` is a dispatcher, whose task `options.task` gets the records as values, or a `RecordPool`, which is faster: its
 * threads read the text from shared memory. Either may serve several runs at once. Resolves once a worker has loaded the
 * module and the run has begun; `run.done` settles at its end. The dispatcher is not closed.
 *
 * Throws option errors, `BatchUsageError` (an output in the way), `BatchInputError`, `BatchOutputError`, `JournalError`
 * and `EVENKEEL_MODULE_LOAD` before anything is started or overwritten.
 */
export async function mapFile(target: TaskRunner | RecordPool, options: MapFileOptions): Promise<BatchRun> {
  const resolved = resolveMapOptions(options)
  const closing: (() => Promise<void> | void)[] = []
  try {
    return await assemble(workersOf(target, resolved, closing), resolved, closing)
  } catch (error) {
    for (const close of closing.reverse()) await close()
    throw error
  }
}

/** What runs the records, and the memory they are read into. */
interface Workers {
  readonly tasks: TaskRunner
  readonly ready: () => Promise<void>
  readonly arena: RecordArena
  readonly runner: RecordRunner
  /** The share of a record pool. */
  readonly share: PoolShare | undefined
}

function workersOf(
  target: TaskRunner | RecordPool,
  options: ResolvedMapOptions,
  closing: (() => Promise<void> | void)[],
): Workers {
  const codec = recordCodec(options)
  if (target instanceof RecordPool) {
    const share = target.join(codec, options.task)
    closing.push(() => share.leave())
    const { arena, runner } = share
    return { tasks: target.dispatcher, ready: () => target.ready(), arena, runner, share }
  }
  if (options.task === undefined) throw new BatchUsageError('name the task of the dispatcher: { task }')
  const arena = new RecordArena()
  const runner = new ValueRecordRunner(target, arena, { task: options.task, ...codec, clock: options.clock })
  return { tasks: target, ready: async () => target.ready?.(1), arena, runner, share: undefined }
}

async function assemble(
  { tasks, ready, arena, runner, share }: Workers,
  options: ResolvedMapOptions,
  closing: (() => Promise<void> | void)[],
): Promise<BatchRun> {
  const { clock, random, envelope, groupSize } = options
  const loading = ready()
  // Awaited below; an earlier failure is reported first.
  loading.catch(() => undefined)
  const sources = await findInputs(options.in, options.standardInput)
  await refuseSameFile(sources, options)
  const workers = tasks.snapshot?.().workers.length ?? defaultParallelism()
  const filter = new RecordFilter(await filterOptions(options, sources))
  const outState = await outputState(options.out)
  if (options.errors !== undefined) await outputState(options.errors)
  await loading
  const history = await RunHistory.open(options, sources, outState, arena)
  closing.push(() => history.close())
  const out = await openOutput(options.out, history.outBytes, clock)
  closing.push(() => out.close())
  const errors = options.errors === undefined ? undefined : await openOutput(options.errors, history.errorsBytes, clock)
  if (errors !== undefined) closing.push(() => errors.close())

  let run: BatchRun | undefined
  const early: string[] = []
  const warn = (message: string): void => {
    if (run === undefined) early.push(message)
    else run.emit('warning', message)
  }
  for (const note of history.notes) warn(note)
  const { guard } = history
  const sinkOf = (file: OutputFile, separator: number, checksum?: number): AppendSink => {
    const onError = (error: BatchOutputError): void => run?.outputFailed(error)
    const sink = new AppendSink({ file, separator, checksum, guard, clock, onError })
    closing.push(() => sink.close())
    return sink
  }
  const inputNames = sources.map(({ name }) => name)
  const writer = new RecordWriter({
    out: sinkOf(out, recordCodec(options).separator, history.outCrc),
    errors: errors === undefined ? undefined : sinkOf(errors, LF),
    journal: history.journal,
    envelope,
    inputNames,
    textOf: (record) => arena.view(record),
  })
  const keepOrder = options.keepOrder ?? outState?.isRegular ?? out.isRegular
  const startedBefore = startedBy(tasks) ?? 0
  const start = { input: 0, offset: 0, records: 0 }
  const { perSecond, gates } = options
  const isHeldBack = perSecond !== undefined || gates.length > 0
  const admission = isHeldBack ? new Admission({ perSecond, gates, clock, Queue: await loadPQueue() }) : undefined
  run = new BatchRun({
    reader: openReader(arena, sources, options, history.checksums),
    arena,
    writer,
    makeSpan: (settled) =>
      keepOrder ? new OrderedSpan(options.orderSpan, start, settled) : new OpenSpan(start, settled),
    flow: {
      runner,
      retries: new RetryPolicy(options.retries, random),
      badRecords: options.onBadRecord,
      timeout: options.timeout,
      keysChooseWorker: options.keysChooseWorker,
      grouped: groupSize > 1,
      stretches: envelope ? undefined : share?.stretches,
      separator: separatorOf(options.format),
    },
    filter,
    history,
    admission,
    startedTasks: () => {
      const started = startedBy(tasks)
      return started === undefined ? undefined : started - startedBefore
    },
    haltRules: options.halt,
    runTimes: new RunTimes(),
    groupSize,
    inFlight: new InFlightLimit({
      // On every worker one runs and the next one waits.
      floor: 2 * workers * groupSize,
      ceiling: Math.max(FEWEST_AT_MOST, MAX_PER_WORKER * workers, 4 * workers * groupSize),
      workers,
      queued: () => tasks.snapshot?.().queued,
    }),
    inputNames,
    totalBytes: totalBytes(sources),
    totalRecords:
      options.total === undefined && typeof options.sample !== 'object' ? undefined : filter.expected(options.total),
    mostRecords: filter.expected(undefined),
    clock,
    release: async () => {
      for (const close of closing.reverse()) await close()
    },
  })
  const begun = run
  share?.whenStopped(() => begun.stop('now', { type: 'request', message: 'the record pool was closed' }))
  // Once the caller has had its turn to listen.
  setImmediate(() => {
    for (const message of early) begun.emit('warning', message)
  })
  return run
}

function startedBy(tasks: TaskRunner): number | undefined {
  return tasks.snapshot?.().workers.reduce((sum, { started }) => sum + started, 0)
}

function totalBytes(sources: readonly ByteSource[]): number | undefined {
  let total = 0
  for (const { sizeBytes } of sources) {
    if (sizeBytes === undefined) return undefined
    total += sizeBytes
  }
  return total
}

/** Refuses an output that is also an input or another output: opening it would truncate it before it is read. */
async function refuseSameFile(sources: readonly ByteSource[], options: ResolvedMapOptions): Promise<void> {
  const idOf = (path: string | number): Promise<string | undefined> =>
    (typeof path === 'number' ? promisify(fstat)(path) : stat(path)).then(
      (info) => (info.isFile() || info.isFIFO() ? `${info.dev}:${info.ino}` : undefined),
      () => undefined,
    )
  const { out, errors, standardInput } = options
  const journal = journalPath(options)
  const seen = new Map<string, string>()
  const readsStandardInput = standardInput === undefined && options.in.includes('-')
  for (const input of [...(readsStandardInput ? [0] : []), ...sources.map(({ name }) => name)]) {
    const id = await idOf(input)
    if (id !== undefined) seen.set(id, 'an input')
  }
  // The process's own streams may share a file with each other: the shell opened it, and it is appended to.
  const isFedBack = [out, errors].includes('-') && seen.has((await idOf(1)) ?? '')
  if (isFedBack) throw new BatchUsageError('standard output goes to a file that is an input')
  for (const [path, role] of [
    [out, 'the output'],
    [errors, 'the file of failed records'],
    [journal, 'the journal'],
  ] as const) {
    if (typeof path !== 'string' || path === '-') continue
    const id = (await idOf(path)) ?? resolve(path)
    const other = seen.get(id)
    if (other !== undefined) throw new BatchUsageError(`${path} is named twice: as ${other} and as ${role}`)
    seen.set(id, role)
  }
}
