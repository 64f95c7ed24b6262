import { PoolWorker } from '../../src/dispatcher/crew/pool-worker.js'
import { type DispatcherOptions, type ResolvedOptions, resolveOptions } from '../../src/dispatcher/options/options.js'
import type { Task } from '../../src/dispatcher/tasks/task.js'
import { Lane, type LaneOwner } from '../../src/engine/lane.js'
import type { TaskKind } from '../../src/protocol/batch.js'
import { SETTINGS_KEY, type WorkerControl } from '../../src/protocol/control.js'
import { FakeClock } from './fake-clock.js'
import { FakeSupervisor } from './fake-supervisor.js'
import type { FakeThread } from './fake-thread.js'

export interface Answer {
  readonly task: Task
  readonly status: number
  readonly value: unknown
}

/** Hears of a lane's news and keeps them. */
export class RecordingOwner implements LaneOwner<Task> {
  readonly answers: Answer[] = []
  readonly unsent: { readonly task: Task; readonly error: unknown }[] = []
  readonly controls: WorkerControl[] = []
  lateAnswers = 0
  /** Called after each message of answers. */
  onBatch: () => void = () => {}

  answered(_lane: Lane<Task>, task: Task, status: number, value: unknown): void {
    // As the ledger does: whoever is asked about the task later sees that it is over.
    task.place = 'settled'
    this.answers.push({ task, status, value })
  }

  late(): void {
    this.lateAnswers++
  }

  batchTaken(): void {
    this.onBatch()
  }

  unsendable(task: Task, error: unknown): void {
    this.unsent.push({ task, error })
  }

  unread(): void {}

  unheard(): void {}

  control(_lane: Lane<Task>, message: WorkerControl): void {
    this.controls.push(message)
  }
}

/** The names that the workers of a `FakeCrew` offer. */
const NAMES = ['work', 'other', 'fetch'] as const
const KINDS: readonly TaskKind[] = ['cpu', 'cpu', 'io']

/** Options with defaults, as the dispatcher resolves them. */
export function optionsOf(options: Partial<DispatcherOptions> = {}): ResolvedOptions {
  return resolveOptions({ module: '/tasks.js', workers: 3, random: () => 0.5, ...options })
}

/** Loaded, idle workers on fake threads and real lanes, without the crew that would restart them. */
export class FakeCrew {
  readonly clock = new FakeClock()
  readonly owner = new RecordingOwner()
  readonly supervisor = new FakeSupervisor(this.clock)
  readonly workers: PoolWorker[]
  readonly options: ResolvedOptions

  constructor(size: number, options: Partial<DispatcherOptions> = {}) {
    this.options = optionsOf({ workers: size, ...options })
    this.workers = Array.from({ length: size }, (_, slot) => this.#newWorker(slot))
  }

  worker(slot: number): PoolWorker {
    return this.workers[slot]!
  }

  lane(slot: number): Lane<Task> {
    return this.worker(slot).lane!
  }

  thread(slot: number): FakeThread {
    return this.supervisor.at(slot)
  }

  /** Posts the tasks to a worker in one message, each counted with its mean run time, as the router does. */
  post(slot: number, ...tasks: readonly Task[]): void {
    const worker = this.worker(slot)
    for (const task of tasks) {
      task.place = 'lane'
      task.slot = slot
      task.expectedMs = task.stats.meanMs
      if (worker.state === 'idle') worker.state = 'busy'
      this.lane(slot).post(task, this.clock.nowMs())
    }
    this.lane(slot).flush()
    this.thread(slot).receive()
    this.thread(slot).wake()
  }

  dispose(): void {
    this.supervisor.dispose()
  }

  #newWorker(slot: number): PoolWorker {
    const worker = new PoolWorker(slot)
    const settings = {
      slot,
      moduleUrl: this.options.moduleUrl,
      ioWindow: this.options.ioWindow,
      depth: 0,
      capturesOutput: false,
      reportsHeap: false,
    }
    worker.state = 'starting'
    const thread = this.supervisor.spawn(
      { [SETTINGS_KEY]: settings, user: undefined },
      {},
      {
        hello: (port, board) => {
          worker.lane = new Lane<Task>(port, board, this.owner, slot, this.clock)
          worker.lane.names = NAMES
        },
        message: () => {},
        exit: () => {},
      },
    )
    worker.thread = thread
    thread.hello().knows(NAMES)
    worker.state = 'idle'
    worker.idleSinceMs = this.clock.nowMs()
    return worker
  }
}

/** Kinds of the names that a `FakeCrew` offers, for a router that learns them. */
export const OFFERED = { names: NAMES, kinds: KINDS }
