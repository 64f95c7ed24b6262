/**
 * A lane and its worker reduced to what their protocol is made of: a board of two claim words, one port each way,
 * and an outbox that dies with the thread. It keeps the accounts by which an order of steps is judged.
 */

import { DONE, indexOf, POSTED, REVOKED } from '../../src/board/claims.js'
import { observe, type Step, type Stepwise } from './explorer.js'
import type { StepwiseClaims } from './stepwise-claims.js'

interface Answer {
  readonly key: number
  readonly skipped: boolean
  /** The task that the worker ran under this key. */
  readonly ran: string | undefined
}

interface Message {
  readonly key: number
  readonly task: string
}

type Ending = 'answered' | 'rejected' | 'lost'

export class TinyLane {
  readonly words = new Int32Array(2)
  /** Messages on their way to the worker, those it has not looked at yet included. */
  readonly toWorker: Message[] = []
  /** Answers in the port: they outlive the thread. */
  readonly toDispatcher: Answer[] = []
  readonly #outbox: Answer[] = []
  readonly #claims: StepwiseClaims
  /** The dispatcher's list of posted, unanswered tasks, oldest first. */
  readonly held: Message[] = []
  readonly #free = [1, 0]
  readonly started = new Map<string, number>()
  readonly endings = new Map<string, Ending[]>()
  /** Taken back: the dispatcher's to send again. */
  readonly queue: string[] = []
  /** The task that the dispatcher doomed, once it did. */
  doomed: string | undefined
  /** No step of the worker follows. */
  dead = false

  constructor(claims: StepwiseClaims) {
    this.#claims = claims
  }

  get freeWords(): number {
    return this.#free.length
  }

  /** All of it, in writing. */
  get state(): string {
    const { words, toWorker, toDispatcher, held, started, endings, queue, doomed, dead } = this
    const accounts = [[...started], [...endings], queue, doomed, dead]
    return JSON.stringify([[...words], toWorker, toDispatcher, this.#outbox, held, this.#free, accounts])
  }

  // The dispatcher's steps.

  *post(task: string): Stepwise<void> {
    const key = yield* this.#claims.post(this.words, this.#free.pop()!)
    this.held.push({ key, task })
    yield
    this.toWorker.push({ key, task })
  }

  /** Newest first, until one was started. */
  *takeBack(onRevoked: (key: number) => void = () => {}): Stepwise<void> {
    for (let last = this.held.at(-1); last !== undefined; last = this.held.at(-1)) {
      if (!(yield* this.#claims.revoke(this.words, last.key))) return
      this.held.pop()
      this.queue.unshift(last.task)
      onRevoked(last.key)
    }
  }

  askToEnd(held: Message): Stepwise<boolean> {
    return this.#claims.askToEnd(this.words, held.key)
  }

  *doom(held: Message): Stepwise<boolean> {
    const isDoomed = yield* this.#claims.doom(this.words, held.key)
    if (isDoomed) {
      this.doomed = held.task
      this.#forget(held.key)
      this.#end(held.task, 'rejected')
    }
    return isDoomed
  }

  /** Takes in every answer that has arrived. */
  *readAnswers(): Stepwise<void> {
    yield
    for (const answer of observe(this.toDispatcher.splice(0))) {
      const held = this.#forget(answer.key)
      if (held !== undefined && !answer.skipped) {
        if (answer.ran !== held.task) throw new Error(`${held.task} got the answer of ${answer.ran}`)
        this.#end(held.task, 'answered')
      }
      yield* this.freeWord(answer.key)
    }
  }

  *freeWord(key: number): Stepwise<void> {
    const named = [...this.toWorker, ...this.toDispatcher, ...this.#outbox]
    if (named.some((other) => indexOf(other.key) === indexOf(key)))
      throw new Error('a message in flight names a free word')
    yield* this.#claims.free(this.words, key)
    this.#free.push(indexOf(key))
  }

  /** After the death: answers first, then what was never started, then who is to be judged. */
  *bury(): Stepwise<void> {
    yield* this.readAnswers()
    yield* this.takeBack()
    for (const { key, task } of this.held.splice(0)) {
      const state = yield* this.#claims.stateOf(this.words, key)
      if (state === POSTED || state === REVOKED) throw new Error(`${task} was neither started nor taken back`)
      this.#end(task, state === DONE ? 'lost' : 'rejected')
    }
  }

  // The worker's steps.

  /** Runs what it is sent until it has answered `count` messages, or is doomed or dead. */
  *work(count: number, flushEach = true): Stepwise<void> {
    for (let taken = 0; taken < count; taken++) {
      yield this.#alive(() => this.toWorker.length > 0)
      const { key, task } = observe(this.toWorker[0]!)
      const isOurs = yield* this.#claims.claim(this.words, key)
      this.toWorker.shift()
      if (isOurs) {
        if (this.doomed !== undefined) throw new Error(`${task} was started after ${this.doomed} was doomed`)
        this.started.set(task, (this.started.get(task) ?? 0) + 1)
        // The task runs; the dispatcher may do anything meanwhile.
        yield
        if (!(yield* this.#claims.finish(this.words, key))) return
      }
      this.#outbox.push({ key, skipped: !isOurs, ran: isOurs ? task : undefined })
      if (flushEach || taken === count - 1) {
        yield
        this.toDispatcher.push(...this.#outbox.splice(0))
      }
    }
  }

  /** Like `work`, in a thread that may end between any two of its steps. */
  *workUntilDead(count: number, flushEach = true): Stepwise<void> {
    const work = this.work(count, flushEach)
    for (let step = work.next(); !step.done; step = work.next()) {
      const wait: Step = step.value
      yield () => this.dead || (wait?.() ?? true)
      if (observe(this.dead)) return
    }
  }

  // Accounts.

  /** Every task started at most once here; every one that is no longer in the queue ended once. */
  check(tasks: readonly string[]): void {
    for (const task of tasks) {
      const starts = this.started.get(task) ?? 0
      if (starts > 1) throw new Error(`${task} was started ${starts} times`)
      if (starts > 0 && this.queue.includes(task)) throw new Error(`${task} was started and taken back`)
      const endings = this.endings.get(task) ?? []
      if (endings.length > 1) throw new Error(`${task} settled ${endings.length} times: ${endings.join(', ')}`)
    }
  }

  checkSettled(tasks: readonly string[]): void {
    this.check(tasks)
    for (const task of tasks) {
      const places = (this.endings.get(task)?.length ?? 0) + this.queue.filter((queued) => queued === task).length
      if (places !== 1) throw new Error(`${task} is in ${places} places at the end`)
    }
  }

  #alive(condition: () => boolean): () => boolean {
    return () => !this.dead && condition()
  }

  #forget(key: number): Message | undefined {
    const at = this.held.findIndex((held) => held.key === key)
    return at < 0 ? undefined : this.held.splice(at, 1)[0]
  }

  #end(task: string, ending: Ending): void {
    this.endings.set(task, [...(this.endings.get(task) ?? []), ending])
  }
}
