/** What lies between a task's acceptance and its place in the queue: a start that its caller put off, and a gate. */

import type { Clock } from '../base/clock.js'
import { Delays } from './delays.js'
import type { Endings } from './endings.js'
import type { Flow } from './flow.js'
import type { GateKeeper } from './gate-keeper.js'
import type { Task } from './task.js'

export class Entrance {
  /** Tasks whose time has not come: that of their first start, or of their next attempt. */
  readonly delays: Delays
  readonly gates: GateKeeper
  readonly #endings: Endings
  readonly #flow: Flow
  /** For the next task that comes to wait. */
  nextSequence = 0

  constructor(endings: Endings, flow: Flow, clock: Clock, gates: GateKeeper) {
    this.gates = gates
    this.#endings = endings
    this.#flow = flow
    this.delays = new Delays(clock, (task) => this.#timeHasCome(task))
  }

  /** An accepted task with options of its own. */
  admit(task: Task): void {
    const { delayMs, slot } = task.options
    if (delayMs !== undefined) task.submittedMs += delayMs
    task.state = 'placing'
    if (!this.#endings.watch(task)) return
    if (slot !== undefined) this.#flow.submitTo(slot, task)
    else if (delayMs === undefined) this.#comeToWait(task)
    else this.delays.hold(task, delayMs)
  }

  /** A task with limits was given to a worker. */
  posted(task: Task): void {
    if (task.limited) this.#endings.posted(task)
    if (task.options.gate !== undefined) this.gates.of(task.options.gate).posted(task)
  }

  #timeHasCome(task: Task): void {
    if (task.attempt > 1) {
      this.#flow.putBack(task)
      return
    }
    // It comes to wait only now, behind those that did so before.
    task.state = 'waiting'
    task.sequence = this.nextSequence++
    this.#comeToWait(task)
  }

  #comeToWait(task: Task): void {
    if (task.options.gate === undefined) {
      this.#flow.submit(task)
      return
    }
    this.gates.enter(task)
    // It has passed, so it goes to an idle worker before the call returns, as any other does.
    if (task.state === 'waiting') this.#flow.pump()
  }
}
