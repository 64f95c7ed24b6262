import { livesOf, type PoolWorker } from '../../src/dispatcher/crew/pool-worker.js'
import { DispatchCore } from '../../src/dispatcher/dispatch-core.js'
import type { DispatcherEvents, Emit } from '../../src/dispatcher/options/events.js'
import type { DispatcherOptions, ResolvedOptions } from '../../src/dispatcher/options/options.js'
import { Task, type TaskOptions } from '../../src/dispatcher/tasks/task.js'
import { FakeClock } from './fake-clock.js'
import { OFFERED, optionsOf } from './fake-crew.js'
import { FakeSupervisor } from './fake-supervisor.js'
import type { FakeThread } from './fake-thread.js'

export interface Submitted {
  readonly task: Task
  /** How it settled, in order: `ok` or `failed` with the value; at most one unless something is wrong. */
  readonly ends: (readonly ['ok' | 'failed', unknown])[]
}

/** A whole dispatch core on fake threads and a fake clock: every step is the test's. */
export class FakePool {
  readonly clock = new FakeClock()
  readonly supervisor = new FakeSupervisor(this.clock)
  readonly events: [name: keyof DispatcherEvents, ...args: unknown[]][] = []
  readonly options: ResolvedOptions
  readonly core: DispatchCore
  /** Sees each task before it is accepted. */
  onTask: (task: Task) => void = () => {}

  constructor(options: Partial<DispatcherOptions> = {}) {
    this.options = optionsOf({ workers: 2, ...options })
    const emit: Emit = (name, ...args) => {
      this.events.push([name, ...args])
    }
    this.core = new DispatchCore(this.options, this.supervisor, this.clock, emit, () => true)
  }

  /** The same with all its threads loaded. */
  static loaded(options: Partial<DispatcherOptions> = {}): FakePool {
    const pool = new FakePool(options)
    pool.load()
    return pool
  }

  worker(slot: number): PoolWorker {
    return this.core.crew.workers[slot]!
  }

  thread(slot: number): FakeThread {
    return this.supervisor.at(slot)
  }

  /** Names of the events so far. */
  get heard(): string[] {
    return this.events.map(([name]) => name)
  }

  /** Every thread that boots says hello and loads the module. */
  load(): void {
    for (const { state, slot, lane } of this.core.crew.workers) {
      if (state === 'starting' && lane === undefined) this.thread(slot).hello().loaded(OFFERED.names, OFFERED.kinds)
    }
    this.deliver()
  }

  /** What `Dispatcher.run` does once its arguments are checked. */
  run(name: string, payload?: unknown, options: TaskOptions = {}): Submitted {
    const task = new Task(
      this.core.names.statsOf(name),
      payload,
      options,
      this.clock.nowMs(),
      this.core.arrivals.nextSequence++,
    )
    const ends: ['ok' | 'failed', unknown][] = []
    task.resolve = (value) => void ends.push(['ok', value])
    task.reject = (reason) => void ends.push(['failed', reason])
    this.onTask(task)
    this.core.arrivals.accept(task)
    return { task, ends }
  }

  /** Batches leave, and what the threads posted is taken in. */
  deliver(): void {
    this.core.router.flush()
    for (const { lane } of livesOf(this.core.crew.workers)) lane?.readAnswers()
  }

  /** Every live thread runs what it holds and answers, until nothing moves any more. */
  runAll(): void {
    for (let moved = true; moved; ) {
      moved = false
      this.deliver()
      for (const { lane, thread } of livesOf(this.core.crew.workers)) {
        if (lane === undefined) continue
        const fake = thread as FakeThread
        const ran = [...fake.runAll('io'), ...fake.runAll('cpu')]
        if (ran.length > 0) moved = true
      }
      this.deliver()
    }
  }

  /** Draining threads that were told to stop say that they have. */
  finishStops(): void {
    for (const { lane, thread } of [...livesOf(this.core.crew.workers)]) {
      if (lane === undefined) continue
      const fake = thread as FakeThread
      fake.receive()
      if (fake.told.some(({ type }) => type === 'stop')) fake.say({ type: 'stopped' })
      lane.readAnswers()
    }
  }

  dispose(): void {
    this.supervisor.dispose()
  }
}
