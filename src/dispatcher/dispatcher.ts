/** The public class: checks arguments and passes calls on to the parts in `dispatch-core.ts`. */

import { EventEmitter } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { checkBoolean, checkInteger, checkString, ownOptions } from '../base/checks.js'
import { systemClock } from '../base/clock.js'
import { piscinaSupervisor } from '../engine/piscina-supervisor.js'
import { copyCoefficients, type LoadOptions } from '../load/load-options.js'
import { Closing } from './closing.js'
import { livesOf } from './crew/pool-worker.js'
import { DispatchCore } from './dispatch-core.js'
import { Submission } from './intake/submission.js'
import { type MapItem, type MapOptions, type MapParts, mapTasks } from './map.js'
import type { DispatcherEvents, Emit } from './options/events.js'
import {
  checkWorkers,
  type DispatcherOptions,
  millisecondsOf,
  type ResolvedOptions,
  resolveOptions,
  type WorkerRange,
} from './options/options.js'
import type { RunOptions } from './options/run-options.js'
import { closedError } from './settling/losses.js'
import { type DispatcherSnapshot, snapshotOf } from './snapshot.js'
import type {
  CallArguments,
  RunName,
  StreamName,
  TaskItem,
  TaskModuleType,
  TaskPayload,
  TaskResult,
  UntypedModule,
} from './task-inference.js'
import { type StreamOptions, type StreamParts, streamItems } from './task-stream.js'
import type { DurationCounts } from './tasks/duration-histogram.js'
import { callOutside } from './tasks/outside-call.js'
import type { TaskCounts } from './tasks/task-stats.js'
import { type BroadcastOptions, checkBroadcast, checkRunOnAll, type RunOnAllOptions, WholePool } from './whole-pool.js'

/** How `Dispatcher.close` ends what is left. */
export interface CloseOptions {
  /** Reject what is queued and running instead of finishing it. Default false. */
  readonly force?: boolean
  /** How long to wait for running tasks before they are rejected, ms. Default: the dispatcher's `closeTimeoutMs`. */
  readonly timeoutMs?: number
}

/**
 * Feeds tasks to a pool of worker threads.
 *
 * Threads start in the constructor and end with `close()`; a dispatcher without unsettled tasks does not keep the
 * process alive. The constructor throws a TypeError or RangeError with code `EVENKEEL_INVALID_OPTION` for options
 * that it cannot use, `EVENKEEL_CLONE` for `workerData`; it does not wait for the threads (see `ready`).
 */
export class Dispatcher<Module extends TaskModuleType = UntypedModule> extends EventEmitter<DispatcherEvents> {
  readonly #options: ResolvedOptions
  readonly #core: DispatchCore
  readonly #closing: Closing
  readonly #submission: Submission
  readonly #wholePool: WholePool

  constructor(options: DispatcherOptions) {
    // A rejection of an async listener is handled like an exception of a listener.
    super({ captureRejections: true })
    this.#options = resolveOptions(options)
    const listens = (name: keyof DispatcherEvents) => this.listenerCount(name) > 0
    const emit: Emit = (name, ...args) => {
      callOutside(
        () => {
          // An 'error' event that nobody listens to would end the process.
          if (name === 'error' && !listens('error')) return
          ;(this.emit as (name: string, ...args: unknown[]) => void)(name, ...args)
        },
        (error) => {
          if (name === 'error' || !listens('error')) throw error
          emit('error', error)
        },
      )
    }
    this.#core = new DispatchCore(this.#options, piscinaSupervisor, systemClock, emit, listens)
    this.#closing = new Closing(this.#core, systemClock)
    const { names, ledger, gates, arrivals } = this.#core
    this.#submission = new Submission({
      names,
      ledger,
      gates,
      arrivals,
      clock: systemClock,
      defaults: this.#options.defaults,
      closing: this.#closing.signal,
    })
    this.#wholePool = new WholePool({
      crew: this.#core.crew,
      broadcasts: this.#core.broadcasts,
      ready: () => this.ready(),
      start: (name, payload, options) => this.#submission.start(name, payload, options),
    })
    if (this.#options.startsLate) warnOfNesting(this.#options.moduleUrl)
  }

  /**
   * Runs one task and resolves to what it returns. Never throws: a refused call is a rejection too.
   *
   * Tasks of one priority start in the order of the calls. The payload is cloned each time it is posted: do not
   * change it until the promise settles. A task is started at most once unless `retries` are set. Costs about 1 µs
   * beside the task itself when many are in flight.
   *
   * Rejects with what the task throws, or with an `EvenkeelError`; its `retryable` says whether the same call may
   * succeed later.
   */
  run<Name extends RunName<Module>>(
    name: Name,
    ...[payload, options]: CallArguments<Module, Name, RunOptions>
  ): Promise<TaskResult<Module, Name>> {
    return this.#submission.run(name, payload, options) as Promise<TaskResult<Module, Name>>
  }

  /**
   * Gives the unstarted tasks of a tag another priority, an integer, larger first. Tasks of equal priority start in
   * the order of their calls. Running tasks, and posted tasks with a `transfer` list, stay as they are. Returns how
   * many changed. O(tasks of the tag + tasks of the new priority).
   */
  setPriority(tag: string, priority: number): number {
    checkString('tag', tag)
    return this.#core.setPriority(tag, checkInteger('priority', priority, Number.MIN_SAFE_INTEGER))
  }

  /**
   * Aborts every unsettled task of a tag, as an abort signal would: waiting ones are removed, running ones are asked
   * to end. They reject with `EVENKEEL_ABORTED`, whose `cause` is `reason`. Returns how many there were.
   */
  cancel(tag: string, reason?: unknown): number {
    return this.#core.earlyEnds.cancel(checkString('tag', tag), reason)
  }

  /**
   * Starts nothing more until `resume()`. Running tasks finish, all others wait in order. New tasks are accepted, and
   * time limits go on. While tasks wait, the process stays alive. `close()` ends a pause.
   */
  pause(): void {
    if (!this.#closing.isClosing) this.#core.router.pause()
  }

  /** Ends a pause. */
  resume(): void {
    if (!this.#closing.isClosing) this.#core.router.resume()
  }

  /** Whether the dispatcher is paused. */
  get paused(): boolean {
    return !this.#closing.isClosing && this.#core.router.paused
  }

  /**
   * Runs one task per item of an (async) iterable and yields the results as they come, or in the order of the items.
   * Back-pressured: items are drawn only while fewer than `concurrency` are in flight. The first failure ends it;
   * leaving the loop early aborts what is in flight.
   */
  map<Name extends RunName<Module>>(
    name: Name,
    items: Iterable<TaskPayload<Module, Name>> | AsyncIterable<TaskPayload<Module, Name>>,
    options?: MapOptions,
  ): AsyncGenerator<MapItem<TaskResult<Module, Name>>, void, undefined> {
    const parts: MapParts = {
      run: (payload, runOptions) => this.#submission.run(name, payload, runOptions),
      place: () => this.#core.ledger.place(),
      closing: this.#closing.signal,
      workers: this.#core.crew.range.max,
      graceMs: this.#options.graceMs,
      clock: systemClock,
    }
    return mapTasks(parts, items, options) as AsyncGenerator<MapItem<TaskResult<Module, Name>>, void, undefined>
  }

  /**
   * Runs a task that returns an (async) iterable, such as an async generator, and yields its items as they come.
   * Back-pressured: at most 16 items are on their way or waiting here, then the task waits for the loop. Leaving the
   * loop ends the task as an abort would, so that its `finally` runs, and waits for that. Starts with the first pull;
   * throws what the task throws, after the items that came before. A CPU task holds its worker all the time: declare
   * one that mostly waits as I/O. Costs a message per item: for many small ones return arrays.
   */
  stream<Name extends StreamName<Module>>(
    name: Name,
    ...[payload, options = {}]: CallArguments<Module, Name, StreamOptions>
  ): AsyncGenerator<TaskItem<Module, Name>, void, undefined> {
    const parts: StreamParts = {
      start: (inner, made) => this.#submission.start(name, payload, inner, made),
      credit: (task, count) => this.#core.router.credit(task, count),
      defaults: this.#options.defaults,
    }
    return streamItems(parts, options) as AsyncGenerator<TaskItem<Module, Name>, void, undefined>
  }

  /**
   * Runs one task on every ready worker, also on busy ones and during a pause. If none is ready, it waits for one.
   * Resolves to the results in the order of the slots, and rejects with the first error. If a worker ends before it has
   * started the task, that is `EVENKEEL_LOST_WITH_WORKER`.
   */
  async runOnAll<Name extends RunName<Module>>(
    name: Name,
    ...[payload, options = {}]: CallArguments<Module, Name, RunOnAllOptions>
  ): Promise<TaskResult<Module, Name>[]> {
    return this.#wholePool.runOnAll(name, payload, checkRunOnAll(options, this.#options.defaults)) as Promise<
      TaskResult<Module, Name>[]
    >
  }

  /**
   * Runs one task on every worker now, and on each thread that starts later, before its first task. It is for state
   * that all workers must have. Broadcasts are replayed in the order of the calls; `replay: 'last'` keeps only the
   * last of its name, `'none'` keeps nothing. Resolves when every ready worker has run it; if none was ready, when
   * the first one has. Rejects with what the task throws, and is not replayed then. The payload is copied at the call
   * and kept. If a replay fails, its thread counts as unable to load the module.
   */
  async broadcast<Name extends RunName<Module>>(
    name: Name,
    ...[payload, options = {}]: CallArguments<Module, Name, BroadcastOptions>
  ): Promise<void> {
    return this.#wholePool.broadcast(name, payload, checkBroadcast(options))
  }

  /** Starts `workers.max` workers, and resolves when all have loaded the module, so that no task waits for that. */
  warmUp(): Promise<void> {
    return this.#closing.isClosing ? Promise.reject(closedError()) : this.#core.ready(this.#core.crew.range.max)
  }

  /**
   * Node's objects of the threads that run or boot, draining ones included. Do not end them: use `close`, `recycle`.
   */
  get threads(): Worker[] {
    const workers = [...livesOf(this.#core.crew.workers)].map(({ thread }) => thread?.worker)
    return workers.filter((worker) => worker !== undefined)
  }

  /** What the pool looks like now. Reads shared memory; asks no worker. O(workers + task names). */
  snapshot(): DispatcherSnapshot {
    return snapshotOf(this.#core, this.#options.strategy.name, systemClock.nowMs())
  }

  /**
   * Histograms since the pool began: how long tasks waited and ran, and how long threads took to start. The
   * difference of two copies is what happened between them.
   */
  durations(): { wait: DurationCounts; run: DurationCounts; start: DurationCounts } {
    const { names, crew } = this.#core
    const { wait, run } = names.times()
    return { wait: wait.counts(), run: run.counts(), start: crew.startTimes.counts() }
  }

  /**
   * Counts of the tasks of each name since the pool began, in the order in which the names were first called.
   * Copies counts; asks no worker. O(names), 10 KiB each.
   */
  taskCounts(): TaskCounts[] {
    return this.#core.names.counts()
  }

  /**
   * Resolves when this many workers have loaded the module. Default: `workers.min`, at least one. Rejects with the
   * error of the load.
   */
  async ready(workers?: number): Promise<void> {
    if (workers !== undefined) checkInteger('workers', workers, 1, this.#core.crew.range.max)
    if (this.#closing.isClosing) throw closedError()
    return this.#core.ready(workers)
  }

  /**
   * Resolves when fewer than `maxQueue` tasks wait, first come, first served, and hands out a place: the next call of
   * `run` is accepted, whatever others do. An unused place lapses after one turn of the event loop. So await
   * everything else before `room`, nothing between `room` and `run`.
   */
  room(): Promise<void> {
    return this.#core.ledger.place() ?? Promise.resolve()
  }

  /**
   * Resolves when nothing is queued or running, after the handlers of the last results have run. Tasks that these
   * handlers submit are waited for too, unless they first wait for something other than promises.
   */
  idle(): Promise<void> {
    return this.#core.ledger.idle()
  }

  /**
   * Changes the number of workers. Surplus workers finish what they run, within `closeTimeoutMs`; missing ones start.
   */
  resize(workers: number | WorkerRange): void {
    this.#core.resize(checkWorkers(workers))
  }

  /**
   * Changes the coefficients of the load, from the next pick on. Without coefficients, the load is the larger of
   * queue depth and event-loop lag. Throws, and changes nothing, if they do not sum to 1.
   */
  setLoadCoefficients(coefficients?: LoadOptions['coefficients']): void {
    this.#core.view.setCoefficients(copyCoefficients(coefficients))
  }

  /**
   * Replaces every worker's thread, one after the other: the next one once the last successor takes tasks. Old
   * threads finish their tasks beside their successors. After `closeTimeoutMs` they are ended, and their tasks reject
   * with `EVENKEEL_LOST_WITH_WORKER`. Does not wait.
   */
  recycle(): void {
    for (const worker of this.#core.crew.workers) this.#core.crew.recycle(worker)
  }

  /**
   * Refuses new tasks, finishes queued and running ones, runs each worker's `teardown`, ends the threads. After
   * `timeoutMs`, or at once with `force`, what is left rejects with `EVENKEEL_CLOSED`. Every call gets the same
   * promise; it resolves when the threads have ended, and never rejects.
   */
  close(options: CloseOptions = {}): Promise<void> {
    const { force = false, timeoutMs = this.#options.closeTimeoutMs } = ownOptions('', options, ['force', 'timeoutMs'])
    const isForced = checkBoolean('force', force)
    const limitMs = millisecondsOf('timeoutMs', timeoutMs, Number.MAX_SAFE_INTEGER)
    this.resume()
    return this.#closing.close(isForced, limitMs)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

function warnOfNesting(moduleUrl: string): void {
  const message = `a dispatcher for ${moduleUrl} was made while a worker loads its module: make it elsewhere, or in a task`
  process.emitWarning(message, 'EvenkeelWarning')
}
