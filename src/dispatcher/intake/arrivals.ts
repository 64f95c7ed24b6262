/**
 * An accepted task on its way to its first place: counted in, put off (`delayMs`), held at a gate, or routed. How the
 * call is checked: `submission.ts`.
 */

import { NO_OPTIONS } from '../options/run-options.js'
import type { Delays, DelaysOwner } from '../places/delays.js'
import type { GateKeeper } from '../places/gates.js'
import type { Router } from '../routing/router.js'
import type { EarlyEnds } from '../settling/early-ends.js'
import type { Ledger } from '../settling/ledger.js'
import type { Task } from '../tasks/task.js'
import type { Tick } from '../watch/tick.js'

export interface ArrivalsParts {
  readonly ledger: Ledger
  readonly tick: Tick
  readonly router: Router
  readonly earlyEnds: EarlyEnds
  readonly delays: Delays
  readonly gates: GateKeeper
}

export class Arrivals implements DelaysOwner {
  readonly #parts: ArrivalsParts
  /** For the next task that comes to wait. */
  nextSequence = 0

  constructor(parts: ArrivalsParts) {
    this.#parts = parts
  }

  /** Takes the task in and sends it on its way; throws when it cannot be accepted. */
  accept(task: Task): void {
    const { ledger, tick, router } = this.#parts
    ledger.accept(task)
    // While a task is unsettled it goes on by itself.
    if (ledger.unsettled === 1) tick.start()
    if (task.options === NO_OPTIONS) router.submit(task)
    else this.#admit(task)
  }

  /** An accepted task with options of its own. */
  #admit(task: Task): void {
    const { delayMs, slot } = task.options
    if (delayMs !== undefined) task.submittedMs += delayMs
    if (!this.#parts.earlyEnds.watch(task)) return
    if (slot !== undefined) this.#parts.router.submitToSlot(slot, task)
    else if (delayMs === undefined) this.#comeToWait(task)
    else this.#parts.delays.hold(task, delayMs)
  }

  /** News of the delays. */
  timeHasCome(task: Task): void {
    if (task.attempt > 1) {
      this.#parts.router.comeBack(task)
      return
    }
    // It comes to wait only now, behind those that did so before.
    task.place = 'none'
    task.sequence = this.nextSequence++
    this.#comeToWait(task)
  }

  #comeToWait(task: Task): void {
    if (task.options.gate === undefined) {
      this.#parts.router.submit(task)
      return
    }
    this.#parts.gates.enter(task)
    // It has passed, so it goes to an idle worker before the call returns, as any other does.
    if (task.place === 'queue') this.#parts.router.pump()
  }
}
