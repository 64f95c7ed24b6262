/**
 * A dispatcher made for batch runs: its threads share memory with this one and run `map-record` around the user's
 * module, so that only the place of a record crosses over. Runs may share it: each draws its blocks and slots from the
 * same books, and has calls, limits and an end of its own.
 */

import { checkBoolean, checkInteger, checkNumber, checkObject, checkString, ownOptions } from '../base/checks.js'
import { systemClock } from '../base/clock.js'
import { EvenkeelError, OptionTypeError } from '../base/errors.js'
import { moduleUrlOf } from '../base/module-url.js'
import { setImmediate } from '../base/timers.js'
import { mapRecordUrl } from '../base/worker-urls.js'
import { type CloseOptions, Dispatcher } from '../dispatcher/dispatcher.js'
import type { DispatcherOptions } from '../dispatcher/options/options.js'
import type { RecordTaskSetup } from '../records/record-transfer.js'
import { StretchMemory, stretchMemoryBytes } from '../records/stretch-memory.js'
import { type RecordRunner, SharedRecordRunner } from './flow/record-runner.js'
import { BatchUsageError } from './options/batch-errors.js'
import { OPTIONS_OF, type RecordCodec, resolveCodecOptions } from './options/codec-options.js'
import type { RecordCodecOptions } from './options/map-options.js'
import { ArenaBlocks, BLOCKS_OF_A_RUN, DEFAULT_BLOCKS, RecordArena } from './records/record-arena.js'
import { type StretchShare, StretchSlots } from './records/stretch-slots.js'

/** What `new RecordPool` takes. */
export interface RecordPoolOptions {
  /** The task module: a file URL, an absolute path, or a bare specifier. */
  readonly module: string | URL
  /** Export to call. Default: `default`, or the only task. */
  readonly task?: string | undefined
  /** Records that an asynchronous task runs side by side on a worker, 1 to 200. Default: as the module's `kinds` says. */
  readonly concurrency?: number | undefined
  /** How records are read and results written; the runs must ask for the same. Default: lines of JSON. */
  readonly codec?: RecordCodecOptions
  /** Everything else of the dispatcher. */
  readonly dispatcher?: Omit<DispatcherOptions, 'module' | 'workerData' | 'defaults'>
}

/** More stretches than are under way at once for up to 32 workers: 67 MiB, of which only what is used is touched. */
const STRETCH_SLOTS = 256

const MAX_RUNS = DEFAULT_BLOCKS / BLOCKS_OF_A_RUN

/**
 * Workers that run one task over records in shared memory, for any number of runs up to 32 at once. Threads start in the
 * constructor; it throws a TypeError or RangeError with code `EVENKEEL_INVALID_OPTION` for options that it cannot use.
 */
export class RecordPool {
  /** For its snapshot, events and metrics. End the pool by `close` of the pool itself. */
  readonly dispatcher: Dispatcher
  readonly #module: string
  readonly #task: string | undefined
  readonly #codec: RecordCodec
  readonly #blocks = new ArenaBlocks(DEFAULT_BLOCKS)
  readonly #slots: StretchSlots
  readonly #shares = new Set<PoolShare>()
  #closed: Promise<void> | undefined
  #force = false
  #left: () => void = () => undefined

  constructor(options: RecordPoolOptions) {
    const {
      module,
      task,
      concurrency,
      codec,
      dispatcher = {},
    } = ownOptions('', options, [
      'module',
      'task',
      'concurrency',
      'codec',
      'dispatcher',
    ]) as unknown as RecordPoolOptions
    this.#module = moduleUrlOf(module)
    this.#task = task === undefined ? undefined : checkString('task', task)
    if (concurrency !== undefined) checkInteger('concurrency', concurrency, 1, 200)
    this.#codec = resolveCodecOptions(codec)
    checkObject('dispatcher', dispatcher)
    for (const name of ['module', 'workerData']) {
      if (Object.hasOwn(dispatcher, name)) throw new OptionTypeError(`dispatcher.${name}`, "is the record pool's own")
    }
    // One call serves many records, so the limits of a call cannot be limits of a record.
    if (Object.hasOwn(dispatcher, 'defaults')) {
      throw new OptionTypeError('dispatcher.defaults', 'limits and retries of records are options of each run')
    }
    const stretches = new SharedArrayBuffer(stretchMemoryBytes(STRETCH_SLOTS))
    this.#slots = new StretchSlots(new StretchMemory(stretches, this.#codec.separator))
    const workerData: RecordTaskSetup = {
      arena: this.#blocks.memory,
      stretches,
      module: this.#module,
      task: this.#task,
      ...this.#codec,
      concurrent: concurrency !== undefined && concurrency > 1,
    }
    this.dispatcher = new Dispatcher({
      ...dispatcher,
      ...(concurrency === undefined ? {} : { ioWindow: concurrency }),
      module: mapRecordUrl,
      workerData,
    })
    // Only after the runs have heard how the tasks of the thread were rejected.
    this.dispatcher.on('exit', ({ slot }) => setImmediate(() => this.#slots.threadEnded(slot)))
  }

  /**
   * For `mapFile`: takes a run in. Throws `BatchUsageError` when the threads were started for another task or other
   * formats than the run wants, and when the pool is closed or full.
   *
   * @internal
   */
  join(codec: RecordCodec, task: string | undefined): PoolShare {
    if (this.#closed !== undefined) throw new BatchUsageError('the record pool is closed')
    if (task !== undefined && task !== this.#task) {
      throw new BatchUsageError(
        `the record pool runs ${this.#task ?? "its module's only task"}, not ${task}; leave out { task }`,
      )
    }
    for (const name of Object.keys(codec) as (keyof RecordCodec)[]) {
      if (this.#codec[name] === codec[name]) continue
      throw new BatchUsageError(
        `the run differs from the record pool in ${OPTIONS_OF[name]}: name them alike in the pool's codec, or use another pool`,
      )
    }
    if (this.#shares.size >= MAX_RUNS) throw new BatchUsageError(`a record pool serves ${MAX_RUNS} runs at once`)
    const runner = new SharedRecordRunner(this.dispatcher, (error) => this.#explained(error))
    const share = new PoolShare(this.#blocks, this.#slots, runner, () => {
      this.#shares.delete(share)
      this.#left()
    })
    this.#shares.add(share)
    return share
  }

  /** Resolves when a worker has loaded the module; rejects with `EVENKEEL_MODULE_LOAD` when none can. */
  async ready(): Promise<void> {
    await this.dispatcher.ready(1).catch((error: Error) => {
      throw this.#explained(error)
    })
  }

  /**
   * Takes no further runs, waits for those under way, and closes the dispatcher. With `force`, or after `timeoutMs`
   * (default: no limit), the runs are stopped first, as by their `stop('now')`. Every call gets the same promise, which
   * never rejects; a later one with `force` cuts the wait short.
   */
  close(options: CloseOptions = {}): Promise<void> {
    const { force = false, timeoutMs = Number.POSITIVE_INFINITY } = ownOptions('', options, ['force', 'timeoutMs'])
    const isForced = checkBoolean('force', force)
    const limitMs =
      timeoutMs === Number.POSITIVE_INFINITY ? timeoutMs : checkNumber('timeoutMs', timeoutMs, 0, 2 ** 31 - 1)
    if (isForced) this.#stopRuns()
    this.#closed ??= this.#close(limitMs)
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(timeoutMs: number): Promise<void> {
    const timer =
      timeoutMs === Number.POSITIVE_INFINITY ? undefined : systemClock.after(timeoutMs, () => this.#stopRuns())
    while (this.#shares.size > 0) {
      await new Promise<void>((resolve) => {
        this.#left = resolve
      })
    }
    timer?.stop()
    await this.dispatcher.close({ force: this.#force })
  }

  #stopRuns(): void {
    this.#force = true
    for (const share of this.#shares) share.stop()
  }

  /** The dispatcher names evenkeel's own task, which it loaded. The rest of the message is about the user's module. */
  #explained(error: unknown): unknown {
    if (!(error instanceof EvenkeelError)) return error
    if (error.code !== 'EVENKEEL_MODULE_LOAD') return named(error, this.#task)
    const why = error.message.replace(`${mapRecordUrl.href} could not be loaded: `, '')
    const what = why.includes(this.#module) ? 'the module' : this.#module
    return new EvenkeelError('EVENKEEL_MODULE_LOAD', `${what} cannot be loaded: ${why}`, { cause: error.cause })
  }
}

/** The error of a task, under the name that the user knows. */
function named(error: EvenkeelError, task: string | undefined): EvenkeelError {
  const pattern = /task "map(?:Stretch|Group)?"/g
  const name = task === undefined ? 'the task' : `task "${task}"`
  error.message = error.message.replaceAll(pattern, name)
  if (error.stack !== undefined) error.stack = error.stack.replaceAll(pattern, name)
  return error
}

/** What one run has of a record pool. */
export class PoolShare {
  readonly arena: RecordArena
  readonly stretches: StretchShare
  readonly runner: RecordRunner
  readonly #left: () => void
  #isStopped = false
  #onStop: (() => void) | undefined

  constructor(blocks: ArenaBlocks, slots: StretchSlots, runner: RecordRunner, left: () => void) {
    this.arena = new RecordArena(blocks)
    this.stretches = slots.join()
    this.runner = runner
    this.#left = left
  }

  /** The pool is being closed by force: the run must end. */
  stop(): void {
    this.#isStopped = true
    this.#onStop?.()
  }

  /** Calls back once the pool wants the run to end, perhaps at once. */
  whenStopped(stop: () => void): void {
    this.#onStop = stop
    if (this.#isStopped) stop()
  }

  /** The run is over: gives everything back. */
  leave(): void {
    this.arena.close()
    this.stretches.leave()
    this.#left()
  }
}
