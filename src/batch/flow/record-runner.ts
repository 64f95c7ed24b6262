/** How a record is handed to a dispatcher. */

import type { Clock } from '../../base/clock.js'
import {
  decodeGroup,
  decodeRecord,
  decodeText,
  faultAnswer,
  groupAnswers,
  resultAnswer,
} from '../../records/record-codec.js'
import type {
  RecordAnswer,
  RecordDecoding,
  ResultEncoding,
  StretchAnswer,
  StretchPayload,
} from '../../records/record-transfer.js'
import type { InputRecord } from '../records/record.js'
import type { RecordArena } from '../records/record-arena.js'

/** What a batch run needs of a dispatcher. */
export interface TaskRunner {
  run(name: string, payload: unknown, options?: TaskLimits): Promise<unknown>
  /** Resolves when so many workers have loaded the module; rejects when it cannot be loaded. Then nothing is opened. */
  ready?(workers?: number): Promise<void>
  /** Tells how many tasks wait for a worker, and how many each worker has started. */
  snapshot?(): { readonly queued: number; readonly workers: readonly { readonly started: number }[] }
}

/** The options of `run` that a batch run uses. */
export interface TaskLimits {
  readonly runTimeoutMs?: number
  readonly signal?: AbortSignal
  readonly key?: string
}

export interface RecordRunner {
  run(record: InputRecord, limits: TaskLimits): Promise<RecordAnswer>
  /** One answer for each record, in their order. */
  runGroup(records: readonly InputRecord[], limits: TaskLimits): Promise<readonly RecordAnswer[]>
  /**
   * Sends the short records whose texts are noted in a slot of the stretch memory; see `stretch-memory`. Without it,
   * every record is sent by itself.
   */
  runStretch?(payload: StretchPayload, limits: TaskLimits): Promise<StretchAnswer>
  /** What the task threw, as the caller should see it. */
  explained?(thrown: unknown): unknown
}

/** For a dispatcher whose module is the built-in `map-record`: only the place of the text crosses over. */
export class SharedRecordRunner implements RecordRunner {
  readonly #tasks: TaskRunner
  readonly explained: (thrown: unknown) => unknown

  constructor(tasks: TaskRunner, explained: (thrown: unknown) => unknown) {
    this.#tasks = tasks
    this.explained = explained
  }

  run(record: InputRecord, limits: TaskLimits): Promise<RecordAnswer> {
    return this.#tasks.run('map', record.place, limits) as Promise<RecordAnswer>
  }

  runStretch(payload: StretchPayload, limits: TaskLimits): Promise<StretchAnswer> {
    return this.#tasks.run('mapStretch', payload, limits) as Promise<StretchAnswer>
  }

  runGroup(records: readonly InputRecord[], limits: TaskLimits): Promise<readonly RecordAnswer[]> {
    const places = records.map(({ place }) => place)
    return this.#tasks.run('mapGroup', places, limits) as Promise<readonly RecordAnswer[]>
  }
}

export interface ValueRunnerOptions {
  readonly task: string
  readonly decoding: RecordDecoding
  readonly encoding: ResultEncoding
  /** Answers carry the time from call to result; waiting for a worker is in it. */
  readonly timed: boolean
  readonly clock: Clock
}

/**
 * For an app's own dispatcher: the argument is parsed here and cloned over, the result comes back as it is.
 * Slower than shared text (both ends parse and write on the caller's thread), but any module serves.
 */
export class ValueRecordRunner implements RecordRunner {
  readonly #tasks: TaskRunner
  readonly #arena: RecordArena
  readonly #options: ValueRunnerOptions

  constructor(tasks: TaskRunner, arena: RecordArena, options: ValueRunnerOptions) {
    this.#tasks = tasks
    this.#arena = arena
    this.#options = options
  }

  async run(record: InputRecord, limits: TaskLimits): Promise<RecordAnswer> {
    try {
      const argument = decodeRecord(this.#textOf(record), this.#options.decoding)
      const startedMs = this.#options.clock.nowMs()
      const result = await this.#tasks.run(this.#options.task, argument.value, limits)
      return resultAnswer(result, this.#options.encoding, argument.losesNumber, this.#runMs(startedMs))
    } catch (error) {
      return faultAnswer(error)
    }
  }

  async runGroup(records: readonly InputRecord[], limits: TaskLimits): Promise<readonly RecordAnswer[]> {
    const { task, decoding, encoding, clock } = this.#options
    const group = decodeGroup(records, (record) => this.#textOf(record), decoding)
    if (group.values.length === 0) return group.answers
    const startedMs = clock.nowMs()
    const results = await this.#tasks.run(task, group.values, limits)
    return groupAnswers(group, results, encoding, this.#runMs(startedMs))
  }

  #textOf(record: InputRecord): string {
    const bytes = this.#arena.view(record)
    return decodeText(bytes, 0, bytes.length)
  }

  #runMs(startedMs: number): number | undefined {
    return this.#options.timed ? this.#options.clock.nowMs() - startedMs : undefined
  }
}
