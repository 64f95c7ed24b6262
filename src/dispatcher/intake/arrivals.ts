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
  /** Sequence number of the next task that waits. */
  nextSequence = 0

  constructor(parts: ArrivalsParts) {
    this.#parts = parts
  }

  /** Takes the task in and sends it on its way; throws when it cannot be accepted. */
  accept(task: Task): void {
    const { ledger, tick, router } = this.#parts
    ledger.accept(task)
    // The tick stops by itself once no task is unsettled.
    if (ledger.unsettled === 1) tick.start()
    if (task.options === NO_OPTIONS) router.submit(task)
    else this.#admit(task)
  }

  /** An accepted task that has options. */
  #admit(task: Task): void {
    const { delayMs, slot } = task.options
    if (delayMs !== undefined) task.submittedMs += delayMs
    if (!this.#parts.earlyEnds.watch(task)) return
    if (slot !== undefined) this.#parts.router.submitToSlot(slot, task)
    else if (delayMs === undefined) this.#comeToWait(task)
    else this.#parts.delays.hold(task, delayMs)
  }

  /** Called by the delays. */
  timeHasCome(task: Task): void {
    if (task.attempt > 1) {
      this.#parts.router.comeBack(task)
      return
    }
    // Its place in the order is that of now, not of the call.
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
    // It passed at once, so it goes to an idle worker before the call returns, like a task without a gate.
    if (task.place === 'queue') this.#parts.router.pump()
  }
}
