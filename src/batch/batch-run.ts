/**
 * One batch run: reads records, starts them while there is room, writes what comes back, and ends when the input is
 * through or somebody stops it. Every wait for room is back-pressure: what is in memory is bounded by the arena, the
 * records under way and the output's backlog, whatever the size of the input.
 */

import { EventEmitter } from 'node:events'
import type { Clock } from '../base/clock.js'
import { Admission } from './flow/admission.js'
import { FeedWait } from './flow/feed-wait.js'
import { InFlightLimit } from './flow/in-flight-limit.js'
import { type FlowOptions, RecordFlow } from './flow/record-flow.js'
import type { RunTimes } from './flow/run-times.js'
import type { RecordSpan } from './flow/spans.js'
import type { RecordFilter } from './input/record-filter.js'
import type { RunHistory } from './journal/run-history.js'
import { BatchInputError, BatchOutputError } from './options/batch-errors.js'
import {
  type BatchCounts,
  type BatchEvents,
  type BatchProgress,
  type BatchSummary,
  finalCounts,
  type SlowRecord,
  type StopReason,
} from './options/batch-progress.js'
import { type HaltRule, haltMessage, haltReached } from './options/halt-rule.js'
import type { RecordWriter } from './output/record-writer.js'
import {
  type InputPosition,
  type InputRecord,
  laterPosition,
  type RecordReader,
  type SettledRecords,
} from './records/record.js'
import type { RecordArena } from './records/record-arena.js'
import { RunReporter } from './run-reporter.js'

/** The parts of a run, put together by `mapFile`. */
export interface BatchPlan {
  readonly reader: RecordReader
  readonly arena: RecordArena
  readonly writer: RecordWriter
  readonly makeSpan: (settled: SettledRecords) => RecordSpan
  readonly flow: Pick<
    FlowOptions,
    'runner' | 'retries' | 'badRecords' | 'timeout' | 'keysChooseWorker' | 'grouped' | 'stretches' | 'separator'
  >
  readonly filter: RecordFilter
  readonly history: RunHistory
  readonly admission: Admission | undefined
  /** Tasks that the workers have started since the run was made, or `undefined` when that is not known. */
  readonly startedTasks: () => number | undefined
  readonly haltRules: readonly HaltRule[]
  readonly runTimes: RunTimes
  /** Records to a task; 1 unless the task takes arrays. */
  readonly groupSize: number
  readonly inFlight: InFlightLimit
  readonly inputNames: readonly string[]
  readonly totalBytes: number | undefined
  readonly totalRecords: number | undefined
  readonly mostRecords: number | undefined
  readonly clock: Clock
  /** Closes files and locks; called once, whatever happened. */
  readonly release: () => Promise<void>
}

/** A group that waits for more records may pin this much text of the arena. */
const MAX_GROUP_BYTES = 2 ** 20

/** The feed goes on when no more than this share of the limit is under way. */
const REFILL_BELOW = 0.75

/** How often what was written is made durable and noted in the journal. */
const COMMIT_EVERY_MS = 200

/** A run over the records of its inputs, started by `mapFile`. */
export class BatchRun extends EventEmitter<BatchEvents> {
  /** Settles when the run is over; rejects only for faults of evenkeel itself. */
  readonly done: Promise<BatchSummary>
  readonly #plan: BatchPlan
  readonly #span: RecordSpan
  readonly #flow: RecordFlow
  readonly #counts: BatchCounts = { ok: 0, failed: 0, skipped: 0, retried: 0, unfinished: 0, resumed: 0 }
  readonly #startedMs: number
  #resumedBytes = 0
  #stopped: StopReason | undefined
  #seq = 0
  #group: InputRecord[] = []
  #groupBytes = 0
  /** The last output failure that was reported. */
  #outputError: BatchOutputError | undefined
  readonly #wait = new FeedWait()

  /** @internal Use `mapFile`. */
  constructor(plan: BatchPlan) {
    super()
    this.#plan = plan
    this.#startedMs = plan.clock.nowMs()
    this.#span = plan.makeSpan({
      pass: (record, outcome) => {
        plan.writer.pass(record, outcome)
        plan.arena.release(record)
      },
    })
    const { runTimes, arena, clock } = plan
    const listener = new RunReporter({
      run: this,
      inputNames: plan.inputNames,
      settled: () => this.#settled(),
    })
    this.#flow = new RecordFlow({ ...plan.flow, runTimes, arena, clock, counts: this.#counts, listener }, this.#span)
    // Starts in the next turn, so that the caller can listen first.
    this.done = Promise.resolve().then(() => this.#run())
  }

  /** The place before which everything is finished. It never goes back, even when old records are done again. */
  get position(): InputPosition {
    return laterPosition(this.#plan.history.start, this.#span.prefix)
  }

  /** Path of the journal, if there is one. */
  get journalPath(): string | undefined {
    return this.#plan.history.path
  }

  /** Where the run stands now; O(1). */
  progress(): BatchProgress {
    const { totalBytes, totalRecords, mostRecords, admission, clock } = this.#plan
    return {
      ...this.#counts,
      posted: this.#flow.inFlight,
      elapsedMs: clock.nowMs() - this.#startedMs,
      readBytes: this.#doneBytes(),
      resumedBytes: this.#resumedBytes,
      totalBytes,
      totalRecords,
      mostRecords,
      heldBy: admission?.heldBy,
    }
  }

  /** Bytes of input that are finished: of the started records only the settled ones count. */
  #doneBytes(): number {
    const { ok, failed, skipped } = this.#counts
    const settled = ok + failed + skipped
    const ownBytes = this.#plan.reader.bytesRead - this.#resumedBytes
    return this.#resumedBytes + (settled === 0 ? 0 : (ownBytes * settled) / (settled + this.#flow.inFlight))
  }

  /** The records longest under way. */
  slowest(count: number): SlowRecord[] {
    const nowMs = this.#plan.clock.nowMs()
    return this.#span.oldest(count).map(({ input, line, startedMs }) => ({
      input: this.#plan.inputNames[input]!,
      line,
      ageMs: nowMs - startedMs,
    }))
  }

  /**
   * Starts nothing more. What runs may end (`soon`) or is aborted (`now`). May be called again to go from one to the
   * other.
   */
  stop(when: 'soon' | 'now', reason: StopReason = { type: 'request', message: 'stopped' }): void {
    if (this.#stopped === undefined) {
      this.#stopped = reason
      this.emit('stop', reason)
    }
    this.#plan.admission?.close()
    if (reason.type === 'request') this.#plan.writer.stop(when)
    if (when === 'now') this.#flow.abort()
    else this.#flow.dropDelayed()
    this.#wait.stop()
  }

  async #run(): Promise<BatchSummary> {
    const { clock, writer, history, inFlight, reader, admission, release } = this.#plan
    const timers = [
      clock.every(InFlightLimit.tickMs, () => {
        inFlight.tick(this.#counts.ok + this.#counts.failed, this.#flow.canStretch)
        this.#flow.checkStretches()
        this.#wait.wake()
      }),
    ]
    if (admission?.isMetered) {
      timers.push(clock.every(Admission.lookMs, () => admission.look(this.#unstarted)))
    }
    if (history.journal !== undefined) timers.push(clock.every(COMMIT_EVERY_MS, () => this.#commit()))
    try {
      await this.#feed()
      while (this.#flow.inFlight > 0) await this.#wait.sleep()
      for (const timer of timers) timer.stop()
      if (this.#stopped?.type !== 'output') {
        await writer
          .finish(this.position)
          .then(() => history.tidyErrors())
          .catch((error) => this.#fault(error))
      }
    } finally {
      for (const timer of timers) timer.stop()
      admission?.close()
      await reader.close().catch(() => undefined)
      await release()
    }
    return {
      ...finalCounts(this.#counts, writer.passed, history.journal?.counts),
      elapsedMs: clock.nowMs() - this.#startedMs,
      writtenBytes: writer.outOffset,
      stopped: this.#stopped,
    }
  }

  /** Records admitted that no worker has started; those in a group that is not full yet are among them. */
  get #unstarted(): number {
    const { startedTasks, groupSize } = this.#plan
    const waiting = this.#flow.sent - (startedTasks() ?? this.#flow.sent)
    // A refused task never starts. Its record is settled, so it no longer counts.
    return this.#group.length + Math.min(this.#flow.inFlight, Math.max(0, waiting) * groupSize)
  }

  async #feed(): Promise<void> {
    const { reader, filter, history, writer } = this.#plan
    try {
      for (;;) {
        const together = this.#stopped === undefined && this.#goesTogether && this.#takesWhole
        if (together) {
          this.#startGroup()
          if (this.#hasNoRoom) {
            await this.#wait.sleep()
            continue
          }
          if (writer.isBehind) {
            await this.#wait.unlessStopped(writer.caughtUp())
            continue
          }
        }
        if (filter.isFull) break
        const record = this.#stopped === undefined ? this.#next(reader, together) : undefined
        if (record !== undefined && record.attempts > 0) this.#seq += record.count
        else if (record !== undefined) {
          // Only a record that has to wait costs a promise.
          const waiting = this.#take(record)
          if (waiting !== undefined) await waiting
        } else {
          if (this.#stopped !== undefined) break
          if (this.#groupBytes > MAX_GROUP_BYTES || this.#plan.groupSize === 1) this.#startGroup()
          if ((await this.#wait.unlessStopped(reader.advance())) !== true) break
        }
      }
      this.#startGroup()
      if (this.#stopped === undefined && !filter.isFull) history.checkEnd()
    } catch (error) {
      this.#startGroup()
      this.#fault(error)
    }
  }

  /**
   * True when no record needs a decision of its own (filter, journal, rate, halt rule, group), so records can go as
   * stretches.
   */
  get #takesWhole(): boolean {
    const { filter, history, admission, haltRules, groupSize } = this.#plan
    return filter.takesAll && history.takesAll && admission === undefined && haltRules.length === 0 && groupSize === 1
  }

  get #goesTogether(): boolean {
    return this.#plan.inFlight.stretch > 1 && this.#flow.canStretch
  }

  #next(reader: RecordReader, together: boolean): InputRecord | undefined {
    if (!together) return reader.next()
    return this.#flow.next(reader, Math.min(this.#plan.inFlight.stretch, this.#span.room), this.#seq)
  }

  #take(record: InputRecord): Promise<void> | undefined {
    const { filter, history, arena, admission, writer } = this.#plan
    record.seq = this.#seq++
    if (!filter.takes()) {
      arena.release(record)
      return undefined
    }
    if (history.passesOver(record)) {
      this.#counts.resumed++
      this.#resumedBytes = this.#plan.reader.bytesRead
      arena.release(record)
      return undefined
    }
    if (admission !== undefined || this.#hasNoRoom || writer.isBehind) return this.#admit(record)
    this.#start(record)
    return undefined
  }

  get #hasNoRoom(): boolean {
    const { length } = this.#group
    return this.#flow.inFlight + length >= this.#plan.inFlight.current || this.#span.room <= length
  }

  async #admit(record: InputRecord): Promise<void> {
    const { admission, writer, arena } = this.#plan
    while (this.#stopped === undefined && (this.#hasNoRoom || writer.isBehind)) {
      if (this.#hasNoRoom && (this.#flow.inFlight === 0 || this.#plan.groupSize === 1)) this.#startGroup()
      if (this.#hasNoRoom) await this.#wait.sleep()
      else await this.#wait.unlessStopped(writer.caughtUp())
    }
    if (admission !== undefined && this.#stopped === undefined) await this.#wait.unlessStopped(admission.admit())
    if (this.#stopped === undefined) this.#start(record)
    else arena.release(record)
  }

  #start(record: InputRecord): void {
    const limit = this.#groupLimit
    const isPlain = record.fault === undefined && (this.#plan.groupSize > 1 || typeof record.place === 'number')
    if (limit === 1 || !isPlain) {
      this.#startGroup()
      this.#flow.start(record)
      return
    }
    this.#group.push(record)
    this.#groupBytes += record.endOffset - record.offset
    if (this.#group.length >= limit) this.#startGroup()
  }

  /** How many records are sent together: the task's group size, or the length of a stretch. */
  get #groupLimit(): number {
    const { groupSize, inFlight, admission } = this.#plan
    return groupSize > 1 || admission?.isMetered || !this.#flow.canStretch ? groupSize : inFlight.stretch
  }

  #startGroup(): void {
    if (this.#group.length === 0) return
    const group = this.#group
    this.#group = []
    this.#groupBytes = 0
    this.#flow.startTogether(group)
  }

  #settled(): void {
    for (const rule of this.#plan.haltRules) {
      if (this.#stopped !== undefined || !haltReached(rule, this.#counts)) continue
      this.stop(rule.when, { type: 'halt', message: haltMessage(rule, this.#counts) })
    }
    if (!this.#wait.isAsleep) return
    // Waking the feed for every single record would cost a promise each; for a quarter of the room it does not.
    if (this.#flow.inFlight <= this.#plan.inFlight.current * REFILL_BELOW || this.#stopped !== undefined)
      this.#wait.wake()
  }

  #commit(): void {
    this.#plan.writer.commit(this.position).catch((error) => this.#fault(error))
  }

  #fault(error: unknown): void {
    if (error instanceof BatchInputError) this.stop('soon', { type: 'input', error })
    else if (error instanceof BatchOutputError) {
      // The sink reports it, and so does whoever waits for the sink.
      if (error === this.#outputError) return
      this.#outputError = error
      // The first reason of a stop stays, but lost results must still be reported.
      if (this.#stopped !== undefined && this.#stopped.type !== 'output') {
        this.emit('warning', `results are missing: ${error.message}`)
      }
      this.stop('now', { type: 'output', error })
    } else this.stop('now', { type: 'fault', error: error as Error })
  }

  /** The sink calls this when writing failed. */
  outputFailed(error: BatchOutputError): void {
    this.#fault(error)
  }
}
