/** What lies between a task's acceptance and its place in the queue: a start that its caller put off, and a gate. */

import type { Clock } from '../../base/clock.js'
import { NO_OPTIONS } from '../options/run-options.js'
import { Delays } from '../places/delays.js'
import type { GateKeeper } from '../places/gate-keeper.js'
import type { Flow } from '../routing/flow.js'
import type { Endings } from '../settling/early-ends.js'
import type { Ledger } from '../settling/ledger.js'
import type { Task } from '../tasks/task.js'
import type { Tick } from '../watch/tick.js'

export interface ArrivalsParts {
  readonly ledger: Ledger
  readonly tick: Tick
  readonly endings: Endings
  readonly flow: Flow
  readonly gates: GateKeeper
}

export class Arrivals {
  /** Tasks whose time has not come: that of their first start, or of their next attempt. */
  readonly delays: Delays
  readonly #parts: ArrivalsParts
  /** For the next task that comes to wait. */
  nextSequence = 0

  constructor(parts: ArrivalsParts, clock: Clock) {
    this.#parts = parts
    this.delays = new Delays(clock, (task) => this.#timeHasCome(task))
  }

  /** Takes the task in and sends it on its way; throws when it cannot be accepted. */
  accept(task: Task): void {
    const { ledger, tick, flow } = this.#parts
    ledger.accept(task)
    tick.start()
    if (task.options === NO_OPTIONS) flow.submit(task)
    else this.#admit(task)
  }

  /** An accepted task with options of its own. */
  #admit(task: Task): void {
    const { delayMs, slot } = task.options
    if (delayMs !== undefined) task.submittedMs += delayMs
    if (!this.#parts.endings.watch(task)) return
    if (slot !== undefined) this.#parts.flow.submitTo(slot, task)
    else if (delayMs === undefined) this.#comeToWait(task)
    else this.delays.hold(task, delayMs)
  }

  /** A task with limits was given to a worker. */
  posted(task: Task): void {
    if (task.limited) this.#parts.endings.posted(task)
    if (task.options.gate !== undefined) this.#parts.gates.of(task.options.gate).posted(task)
  }

  #timeHasCome(task: Task): void {
    if (task.attempt > 1) {
      this.#parts.flow.putBack(task)
      return
    }
    // It comes to wait only now, behind those that did so before.
    task.place = 'none'
    task.sequence = this.nextSequence++
    this.#comeToWait(task)
  }

  #comeToWait(task: Task): void {
    if (task.options.gate === undefined) {
      this.#parts.flow.submit(task)
      return
    }
    this.#parts.gates.enter(task)
    // It has passed, so it goes to an idle worker before the call returns, as any other does.
    if (task.place === 'queue') this.#parts.flow.pump()
  }
}
