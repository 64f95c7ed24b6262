import type { EventQueue } from './event-queue.js'
import type { Fleet } from './fleet.js'
import type { Measures } from './measures.js'
import type { Scenario } from './scenario.js'
import { DELIVERED, NONE, POSTED, RUNNING, type TaskTable } from './task-table.js'

/** What workers tell the dispatcher's side; each call is made at the moment it happens there. */
export interface WorkerEvents {
  finished(worker: number, task: number): void
  skippedRevoked(worker: number): void
  /** A dead worker's task, claimed or not. */
  lost(task: number): void
  died(worker: number): void
  replaced(worker: number): void
}

/**
 * What happens inside the workers: they claim the tasks of their inbox one by one, freeze, die and come back. A
 * worker has two event sources, its completion and its timer (end of a stall, or replacement up).
 */
export class WorkerSide {
  readonly #scenario: Scenario
  readonly #fleet: Fleet
  readonly #tasks: TaskTable
  readonly #measures: Measures
  readonly #events: EventQueue
  readonly #firstSource: number
  readonly #told: WorkerEvents

  constructor(parts: {
    scenario: Scenario
    fleet: Fleet
    tasks: TaskTable
    measures: Measures
    events: EventQueue
    firstSource: number
    told: WorkerEvents
  }) {
    this.#scenario = parts.scenario
    this.#fleet = parts.fleet
    this.#tasks = parts.tasks
    this.#measures = parts.measures
    this.#events = parts.events
    this.#firstSource = parts.firstSource
    this.#told = parts.told
  }

  deliver(task: number, nowMs: number): void {
    const { domino } = this.#scenario
    const fleet = this.#fleet
    const worker = this.#tasks.lane[task]!
    this.#tasks.state[task] = DELIVERED
    fleet.delivered[worker]!++
    if (fleet.running[worker] === NONE) this.#claimNext(worker, nowMs)
    if (domino && fleet.depth(worker) > domino.backlog) this.die(worker, domino.downMs, nowMs)
  }

  /** False when the task was claimed before. */
  revoke(task: number, nowMs: number): boolean {
    const fleet = this.#fleet
    const state = this.#tasks.state[task]
    if (state !== POSTED && state !== DELIVERED) return false
    const worker = this.#tasks.lane[task]!
    fleet.inbox[worker]!.remove(task)
    if (state === DELIVERED) fleet.delivered[worker]!--
    fleet.revoked[worker]!++
    if (fleet.running[worker] === NONE && !fleet.isStalled(worker, nowMs)) this.#skipRevoked(worker)
    return true
  }

  complete(worker: number, nowMs: number): void {
    const fleet = this.#fleet
    const task = fleet.running[worker]!
    const runMs = nowMs - fleet.startedMs[worker]!
    this.#tasks.runMs[task] = runMs
    fleet.running[worker] = NONE
    fleet.progressMs[worker] = nowMs
    fleet.busyMs[worker]! += runMs
    this.#events.cancel(this.#completion(worker))
    this.#claimNext(worker, nowMs)
    this.#told.finished(worker, task)
  }

  stall(worker: number, durationMs: number, nowMs: number): void {
    const fleet = this.#fleet
    if (fleet.up[worker] === 0) return
    const untilMs = nowMs + durationMs
    fleet.stalledUntilMs[worker] = untilMs
    this.#measures.countStall(untilMs)
    this.#events.schedule(this.#timer(worker), untilMs)
    if (fleet.running[worker] === NONE) return
    const completion = this.#completion(worker)
    this.#events.schedule(completion, this.#events.timeOf(completion) + durationMs)
  }

  die(worker: number, downMs: number, nowMs: number): void {
    const fleet = this.#fleet
    if (fleet.up[worker] === 0) return
    this.#measures.crashes++
    fleet.up[worker] = 0
    fleet.stalledUntilMs[worker] = 0
    fleet.delivered[worker] = 0
    fleet.revoked[worker] = 0
    this.#events.cancel(this.#completion(worker))
    this.#events.schedule(this.#timer(worker), nowMs + downMs)
    const running = fleet.running[worker]!
    if (running !== NONE) {
      fleet.running[worker] = NONE
      this.#told.lost(running)
    }
    const inbox = fleet.inbox[worker]!
    while (inbox.head !== NONE) {
      const task = inbox.head
      inbox.remove(task)
      this.#told.lost(task)
    }
    if (!fleet.up.includes(1)) this.#measures.outages++
    this.#told.died(worker)
  }

  /** The worker's timer rang: its stall is over, or its replacement is up. */
  wake(worker: number, nowMs: number): void {
    const fleet = this.#fleet
    this.#events.cancel(this.#timer(worker))
    if (fleet.up[worker] === 1) {
      if (fleet.running[worker] === NONE) this.#claimNext(worker, nowMs)
      return
    }
    fleet.up[worker] = 1
    fleet.coldUntilMs[worker] = nowMs + (this.#scenario.crash?.coldMs ?? 0)
    fleet.progressMs[worker] = nowMs
    fleet.report(worker, nowMs)
    this.#told.replaced(worker)
  }

  #completion(worker: number): number {
    return this.#firstSource + worker
  }

  #timer(worker: number): number {
    return this.#firstSource + this.#fleet.size + worker
  }

  #claimNext(worker: number, nowMs: number): void {
    const fleet = this.#fleet
    if (fleet.isStalled(worker, nowMs)) return
    if (fleet.revoked[worker]! > 0) this.#skipRevoked(worker)
    const task = fleet.claimable(worker, this.#tasks)
    // Telling of the skipped messages may have brought, and started, new work.
    if (task === NONE || fleet.running[worker] !== NONE) return
    fleet.inbox[worker]!.remove(task)
    fleet.delivered[worker]!--
    this.#tasks.state[task] = RUNNING
    fleet.running[worker] = task
    fleet.startedMs[worker] = nowMs
    fleet.progressMs[worker] = nowMs
    this.#events.schedule(this.#completion(worker), nowMs + this.#durationMs(worker, task, nowMs))
  }

  #durationMs(worker: number, task: number, nowMs: number): number {
    const { crash, sinkhole } = this.#scenario
    if (sinkhole?.worker === worker) return sinkhole.failMs
    const runMs = this.#tasks.workMs[task]! / this.#fleet.speed[worker]!
    return crash && nowMs < this.#fleet.coldUntilMs[worker]! ? runMs * crash.coldFactor : runMs
  }

  #skipRevoked(worker: number): void {
    this.#fleet.revoked[worker] = 0
    this.#told.skippedRevoked(worker)
  }
}
