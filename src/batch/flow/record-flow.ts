/** Records under way: started, answered, tried again, settled. Each started record settles exactly once. */

import type { Clock, Timer } from '../../base/clock.js'
import { EvenkeelError } from '../../base/errors.js'
import { briefError, plainError, type RecordError } from '../../records/plain-error.js'
import type { RecordAnswer } from '../../records/record-transfer.js'
import type { BatchCounts } from '../options/batch-progress.js'
import type { BadRecordPolicy } from '../options/map-options.js'
import { type InputRecord, type RecordOutcome, type RecordReader, splitStretch } from '../records/record.js'
import type { RecordArena } from '../records/record-arena.js'
import type { StretchShare } from '../records/stretch-slots.js'
import type { RecordRunner, TaskLimits } from './record-runner.js'
import type { RetryPolicy } from './retry-policy.js'
import type { RunTimes } from './run-times.js'
import type { RecordSpan } from './spans.js'
import { StretchFlow } from './stretch-flow.js'

export interface FlowListener {
  failed(record: InputRecord, error: RecordError): void
  retried(record: InputRecord, delayMs: number, error: RecordError): void
  warned(kind: 'number' | 'surrogate', record: InputRecord): void
  /** The record is bad and the policy is to fail. */
  foundBad(record: InputRecord, message: string): void
  settled(): void
  /** The workers cannot run the task at all; the record stays unfinished. */
  workersFailed(error: Error): void
}

export interface FlowOptions {
  readonly runner: RecordRunner
  readonly arena: RecordArena
  readonly retries: RetryPolicy
  readonly badRecords: BadRecordPolicy
  /** Longest run of a record, in ms or as a multiple of the median. */
  readonly timeout: { readonly ms?: number; readonly medians?: number } | undefined
  /** Whether keys also choose the worker. */
  readonly keysChooseWorker: boolean
  /** Whether the task takes an array of records, also when it is tried again with one of them. */
  readonly grouped: boolean
  readonly runTimes: RunTimes
  /** Shared memory for short records sent together. */
  readonly stretches: StretchShare | undefined
  /** The byte that ends a record of the input. */
  readonly separator: number
  readonly counts: BatchCounts
  readonly clock: Clock
  readonly listener: FlowListener
}

/** A failure lists at most this many earlier tries of its record. */
const MAX_EARLIER = 10

/** Codes with which calls reject when the run is aborted: their records are neither done nor failed. */
const STOPPED: ReadonlySet<string> = new Set(['EVENKEEL_ABORTED', 'EVENKEEL_CLOSED', 'EVENKEEL_LOST_WITH_WORKER'])

/** Failures that every further record would meet, too: the module or its task is missing, or the pool is closed. */
const WORKERS_FAILED: ReadonlySet<string> = new Set([
  'EVENKEEL_MODULE_LOAD',
  'EVENKEEL_UNKNOWN_TASK',
  'EVENKEEL_CLOSED',
])

export class RecordFlow {
  /** Started and not settled, those waiting for another try included. */
  inFlight = 0
  /** Tasks sent, each try counted. */
  sent = 0
  readonly #options: FlowOptions
  readonly #span: RecordSpan
  readonly #abort = new AbortController()
  readonly #delayed = new Map<InputRecord, Timer>()
  /** The errors of earlier tries, oldest first, for records that are tried again. */
  readonly #earlier = new Map<InputRecord, RecordError[]>()
  /** The limits of every call. */
  #limits: TaskLimits
  #stretches: StretchFlow | undefined

  constructor(options: FlowOptions, span: RecordSpan) {
    this.#options = options
    this.#span = span
    const { timeout, runner } = options
    const { signal } = this.#abort
    this.#limits = timeout?.ms === undefined ? { signal } : { signal, runTimeoutMs: timeout.ms }
    const { stretches, keysChooseWorker, arena, separator } = options
    if (stretches === undefined || runner.runStretch === undefined || timeout !== undefined || keysChooseWorker) return
    const { memory } = stretches
    this.#stretches = new StretchFlow(stretches, (payload) => runner.runStretch!(payload, { signal }), {
      answered: (record, answer) => this.#answered(record, answer),
      failed: (record, error) => this.#failed(record, error),
      startAlone: (record) => this.#send(record),
      succeeded: (stretch, lines) => this.#succeeded(stretch, lines, undefined),
      split: (stretch, memorySlot) => {
        const records = splitStretch(stretch, memory, memorySlot, arena, separator)
        this.#span.split(stretch, records)
        return records
      },
    })
  }

  /** Whether short records may be sent together. They may not when each has limits of its own, such as a timeout. */
  get canStretch(): boolean {
    return this.#stretches?.isUsable === true
  }

  /**
   * Takes the next of the reader, number `seq` of the run. Up to `most` short records come as a stretch that is under way
   * already, as its `attempts` tell; a record that comes by itself is the caller's to start.
   */
  next(reader: RecordReader, most: number, seq: number): InputRecord | undefined {
    const record = this.#stretches === undefined ? reader.next() : this.#stretches.next(reader, most)
    if (record === undefined || record.attempts === 0) return record
    record.seq = seq
    record.startedMs = this.#options.clock.nowMs()
    this.inFlight += record.count
    this.#span.add(record)
    return record
  }

  /** Frees the records behind one that blocks; to be called now and then. */
  checkStretches(): void {
    this.#stretches?.check()
  }

  start(record: InputRecord): void {
    this.inFlight++
    this.#span.add(record)
    if (record.fault === undefined) {
      record.attempts = 1
      this.#send(record)
    } else this.#bad(record, record.fault)
  }

  /** Sends records together: to a task that takes arrays in one call, else as a stretch in which each is done by itself. */
  startTogether(records: readonly InputRecord[]): void {
    const nowMs = this.#options.clock.nowMs()
    for (const record of records) {
      record.attempts = 1
      record.startedMs = nowMs
      this.inFlight++
      this.#span.add(record)
    }
    if (this.#options.grouped) this.#sendGroup(records)
    else if (!this.#stretches?.start(records)) for (const record of records) this.#send(record)
  }

  #sendGroup(records: readonly InputRecord[]): void {
    this.sent++
    this.#options.runner.runGroup(records, this.#limits).then(
      (answers) => {
        for (const [index, record] of records.entries()) this.#answered(record, answers[index]!)
      },
      (error: unknown) => {
        for (const record of records) this.#failed(record, error)
      },
    )
  }

  /** Aborts running records and gives up those that wait for another try. Both stay unfinished. */
  abort(): void {
    this.#abort.abort()
    // A record sent by itself from here on is aborted at once.
    this.#stretches?.stopAll()
    this.dropDelayed()
  }

  /** Gives up the tries that wait, without touching what runs. */
  dropDelayed(): void {
    for (const [record, timer] of this.#delayed) {
      timer.stop()
      this.#settle(record, { type: 'unfinished' })
    }
    this.#delayed.clear()
  }

  #send(record: InputRecord): void {
    const { runner, clock, keysChooseWorker, grouped } = this.#options
    this.sent++
    record.startedMs = clock.nowMs()
    const limits = keysChooseWorker && record.key !== undefined ? { ...this.#limits, key: record.key } : this.#limits
    const running = grouped ? runner.runGroup([record], limits).then(([answer]) => answer!) : runner.run(record, limits)
    running.then(
      (answer) => this.#answered(record, answer),
      (error: unknown) => this.#failed(record, error),
    )
  }

  #answered(record: InputRecord, answer: RecordAnswer): void {
    if (typeof answer === 'string') {
      this.#succeeded(record, answer, undefined)
      return
    }
    if (answer.fault !== undefined) {
      this.#bad(record, answer.message ?? answer.fault)
      return
    }
    if (answer.error !== undefined) {
      this.#failed(record, answer.error, answer.error)
      return
    }
    if (answer.warning !== undefined) this.#options.listener.warned(answer.warning, record)
    if (answer.runMs !== undefined) this.#timed(answer.runMs)
    this.#succeeded(record, answer.line ?? 'null', answer.runMs)
  }

  #succeeded(record: InputRecord, result: string | Buffer, runMs: number | undefined): void {
    this.#options.counts.ok += record.count
    this.#settle(record, { type: 'ok', result, runMs })
  }

  #timed(runMs: number): void {
    const { runTimes, timeout } = this.#options
    runTimes.add(runMs)
    if (timeout?.medians === undefined) return
    const medianMs = runTimes.medianMs()
    if (medianMs !== undefined) this.#limits = { ...this.#limits, runTimeoutMs: medianMs * timeout.medians }
  }

  #bad(record: InputRecord, message: string): void {
    const { badRecords, counts, listener } = this.#options
    if (badRecords === 'skip' && !record.isWholeInput) {
      counts.skipped++
      this.#settle(record, { type: 'skipped' })
      return
    }
    if (badRecords === 'fail') listener.foundBad(record, message)
    this.#fail(record, { name: 'BadRecord', message, code: 'EVENKEEL_BAD_RECORD' })
  }

  /** @param told the error of one record of a group, which is plain already */
  #failed(record: InputRecord, thrown: unknown, told?: RecordError): void {
    const { retries, counts, listener, clock, runner } = this.#options
    const explained = runner.explained?.(thrown as Error) ?? thrown
    const error = told ?? plainError(explained)
    const code = thrown instanceof EvenkeelError ? thrown.code : undefined
    if (this.#abort.signal.aborted && code !== undefined && STOPPED.has(code)) {
      this.#settle(record, { type: 'unfinished' })
      return
    }
    if (code !== undefined && WORKERS_FAILED.has(code)) {
      listener.workersFailed(explained as Error)
      this.#settle(record, { type: 'unfinished' })
      return
    }
    const delayMs = this.#abort.signal.aborted ? undefined : retries.delayMs(thrown, record.attempts)
    if (delayMs !== undefined) {
      counts.retried++
      listener.retried(record, delayMs, error)
      this.#earlier.set(record, [...(this.#earlier.get(record) ?? []), briefError(error)].slice(-MAX_EARLIER))
      const timer = clock.after(delayMs, () => {
        this.#delayed.delete(record)
        record.attempts++
        this.#send(record)
      })
      this.#delayed.set(record, timer)
      return
    }
    this.#fail(record, error)
  }

  #fail(record: InputRecord, last: RecordError): void {
    const earlier = this.#earlier.get(record)
    const error = earlier === undefined ? last : { ...last, earlier }
    this.#options.counts.failed++
    this.#options.listener.failed(record, error)
    this.#settle(record, { type: 'failed', error })
  }

  #settle(record: InputRecord, outcome: RecordOutcome): void {
    const { counts, arena, listener } = this.#options
    if (outcome.type === 'unfinished') counts.unfinished++
    if (record.attempts > 1) this.#earlier.delete(record)
    // A failed record's text is needed until it is passed on; that of a finished one is free at once.
    if (outcome.type === 'ok') arena.release(record)
    this.#span.settle(record, outcome)
    this.inFlight -= record.count
    listener.settled()
  }
}
