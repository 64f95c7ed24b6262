/** Work on the move: tasks that come in, wait, and go on whenever room may have come up. */

import { queueMicrotask } from '../../base/timers.js'
import type { Crew } from '../crew/crew.js'
import { holderOf } from '../crew/lives.js'
import { type Task, waitsForWorker } from '../tasks/task.js'
import type { Placement } from './placement.js'
import type { Router } from './router.js'
import type { TakeBack } from './take-back.js'

/** Progress of all lanes is looked at no more often than this, ms. */
const RESCUE_PERIOD_MS = 0.5

export interface FlowParts {
  readonly crew: Crew
  readonly router: Router
  readonly placement: Placement
  readonly takeBack: TakeBack
}

export class Flow {
  readonly #parts: FlowParts
  #nextRescueMs = 0
  #pumpScheduled = false

  constructor(parts: FlowParts) {
    this.#parts = parts
  }

  /** A task comes to wait, or goes to a worker at once. */
  submit(task: Task): void {
    this.#parts.router.submit(task)
    if (waitsForWorker(task)) this.#makeWay(task)
  }

  /** A task that only the worker of this slot may run. */
  submitTo(slot: number, task: Task): void {
    const { crew, router } = this.#parts
    const worker = crew.workers[slot]
    if (worker?.isReady) router.submitTo(worker, task)
    else router.putBack(task)
  }

  /** The worker that runs the task may send so many further items. */
  credit(task: Task, count: number): void {
    holderOf(this.#parts.crew.workers, task)?.lane?.tell({ type: 'credit', key: task.key, count })
  }

  /** A task that was in the queue before comes back to it. */
  putBack(task: Task): void {
    this.#parts.router.putBack(task)
    this.pump()
  }

  /** A task has passed its gate. It goes on a microtask later: each post lets the next one pass, without end otherwise. */
  passed(task: Task): void {
    this.#parts.router.queue(task)
    if (this.#pumpScheduled) return
    this.#pumpScheduled = true
    queueMicrotask(() => {
      this.#pumpScheduled = false
      this.pump()
    })
  }

  /** Waiting tasks move on; an idle worker gets a share of what another holds too much of. */
  pump(): void {
    const { router, placement, takeBack } = this.#parts
    router.drain()
    if (router.waiting === 0 && placement.hasIdle && takeBack.share()) router.drain()
    router.flush()
  }

  /** Work that does not get on moves; looked at often, done no more often than the period says. */
  rescueWhenDue(nowMs: number): void {
    if (nowMs >= this.#nextRescueMs) this.rescue(nowMs)
  }

  rescue(nowMs: number): void {
    this.#nextRescueMs = nowMs + RESCUE_PERIOD_MS
    this.#parts.takeBack.rescue(nowMs)
  }

  /** Nothing more starts: what is posted and not started comes back to the queue. */
  pause(): void {
    const { router, crew } = this.#parts
    router.paused = true
    for (const worker of crew.workers) router.withdraw(worker)
  }

  resume(): void {
    this.#parts.router.paused = false
    this.pump()
  }

  /** A task found no room: more workers may start, or a lower priority make way. */
  #makeWay(task: Task): void {
    const { crew, router, takeBack } = this.#parts
    if (crew.alive < crew.range.max) crew.ensure(router.waiting)
    if (takeBack.makeRoomFor(task)) this.pump()
  }
}
