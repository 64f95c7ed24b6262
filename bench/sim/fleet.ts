import { type Scenario, speedOf } from './scenario.js'
import { DELIVERED, NONE, TaskList, type TaskTable } from './task-table.js'

/** State of the simulated workers and of their lanes, by worker, in typed arrays. */
export class Fleet {
  readonly size: number
  readonly speed: Float64Array
  readonly up: Uint8Array
  /** Frozen until then; 0 when it never was. */
  readonly stalledUntilMs: Float64Array
  readonly coldUntilMs: Float64Array
  /** Task being run, NONE when idle. */
  readonly running: Int32Array
  readonly startedMs: Float64Array
  /** Last claim or finish, the stamp that the live dispatcher reads from shared memory. */
  readonly progressMs: Float64Array
  /** First post since the lane was last empty. */
  readonly wokenMs: Float64Array
  /** Posted and not answered, as the dispatcher counts. */
  readonly outstanding: Int32Array
  /** In the inbox and not claimed, as the worker counts. */
  readonly delivered: Int32Array
  /** Revoked messages the worker has not come across yet. */
  readonly revoked: Int32Array
  readonly reportedDepth: Int32Array
  readonly reportedMs: Float64Array
  readonly sentSinceReport: Int32Array
  readonly dispatched: Int32Array
  readonly busyMs: Float64Array
  /** Posted and unclaimed, oldest post first. */
  readonly inbox: TaskList[]

  constructor(scenario: Scenario, tasks: TaskTable) {
    const size = scenario.workers
    this.size = size
    this.speed = Float64Array.from({ length: size }, (_, worker) => speedOf(scenario, worker))
    this.up = new Uint8Array(size).fill(1)
    this.stalledUntilMs = new Float64Array(size)
    this.coldUntilMs = new Float64Array(size)
    this.running = new Int32Array(size).fill(NONE)
    this.startedMs = new Float64Array(size)
    this.progressMs = new Float64Array(size)
    this.wokenMs = new Float64Array(size)
    this.outstanding = new Int32Array(size)
    this.delivered = new Int32Array(size)
    this.revoked = new Int32Array(size)
    this.reportedDepth = new Int32Array(size)
    this.reportedMs = new Float64Array(size)
    this.sentSinceReport = new Int32Array(size)
    this.dispatched = new Int32Array(size)
    this.busyMs = new Float64Array(size)
    this.inbox = Array.from({ length: size }, () => new TaskList(tasks))
  }

  /** Tasks at the worker, the running one included; those still on their way are not known there. */
  depth(worker: number): number {
    return this.delivered[worker]! + (this.running[worker] === NONE ? 0 : 1)
  }

  isStalled(worker: number, nowMs: number): boolean {
    return nowMs < this.stalledUntilMs[worker]!
  }

  report(worker: number, nowMs: number): void {
    this.reportedDepth[worker] = this.depth(worker)
    this.reportedMs[worker] = nowMs
    this.sentSinceReport[worker] = 0
  }

  /** The task the worker would claim now, NONE when the next one has not arrived. */
  claimable(worker: number, tasks: TaskTable): number {
    const head = this.inbox[worker]!.head
    return head !== NONE && tasks.state[head] === DELIVERED ? head : NONE
  }
}
