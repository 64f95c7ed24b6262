/**
 * Asks a strategy, which may be the user's own: it may throw, answer anything, and use the pool meanwhile. Each kind of
 * fault is reported once, and none of them loses a task.
 */

import type { Clock } from '../../base/clock.js'
import { EvenkeelError } from '../../base/errors.js'
import type { LoadView, SelectionStrategy, SelectionTask } from '../../selection/load-view.js'

/** A strategy that has chosen nobody for this long, while nothing runs that could change its mind, is reported, ms. */
const NOBODY_MS = 1_000

type Fault = 'throws' | 'answers' | 'nobody'

export class StrategyGuard {
  readonly #clock: Clock
  readonly #onFault: (error: unknown) => void
  readonly #reported = new Set<Fault>()
  /** Since when nobody was chosen, ms. */
  #nobodySinceMs: number | undefined
  /**
   * While a strategy is asked or told something. No task may be placed then: the candidates have to stay those that it was
   * asked about.
   */
  isAsking = false

  constructor(clock: Clock, onFault: (error: unknown) => void) {
    this.#clock = clock
    this.#onFault = onFault
  }

  /** The candidate that it chose, -1 for nobody, or undefined for an answer that is none. */
  ask(strategy: SelectionStrategy, view: LoadView, task: SelectionTask): number | undefined {
    let answer: unknown
    this.isAsking = true
    try {
      answer = strategy.pick(view, task)
    } catch (error) {
      this.#report('throws', error)
      return undefined
    } finally {
      this.isAsking = false
    }
    if (answer === -1) return -1
    this.#nobodySinceMs = undefined
    if (isIndex(answer, view.size) && view.isCandidate(answer)) return answer
    this.#hear(answer)
    this.#report('answers', answerError(strategy, answer))
    return undefined
  }

  tellMembership(strategy: SelectionStrategy, view: LoadView): void {
    const wasAsking = this.isAsking
    this.isAsking = true
    try {
      this.#hear(strategy.membershipChanged?.(view))
    } catch (error) {
      this.#report('throws', error)
    } finally {
      this.isAsking = wasAsking
    }
  }

  /**
   * Nobody was chosen: the task waits, and the strategy is asked again. That is a fault when the pool stands still over it.
   *
   * @param isBusy whether any worker has something to do
   */
  choseNobody(strategy: SelectionStrategy, isBusy: boolean): void {
    const nowMs = this.#clock.nowMs()
    if (isBusy) this.#nobodySinceMs = nowMs
    this.#nobodySinceMs ??= nowMs
    if (nowMs - this.#nobodySinceMs < NOBODY_MS) return
    const message = `strategy "${strategy.name}" has chosen nobody for ${NOBODY_MS} ms although no worker is busy; tasks wait until it does`
    this.#report('nobody', new EvenkeelError('EVENKEEL_STRATEGY', message))
  }

  /** An async method answers a promise, which may reject. */
  #hear(answer: unknown): void {
    if (answer instanceof Promise) answer.catch((error: unknown) => this.#report('throws', error))
  }

  #report(fault: Fault, error: unknown): void {
    if (this.#reported.has(fault)) return
    this.#reported.add(fault)
    this.#onFault(error)
  }
}

function isIndex(answer: unknown, size: number): answer is number {
  return Number.isInteger(answer) && (answer as number) >= 0 && (answer as number) < size
}

function answerError({ name }: SelectionStrategy, answer: unknown): EvenkeelError {
  const isPlain = typeof answer === 'number' || answer === undefined || answer === null
  const given = isPlain ? String(answer) : `a ${typeof answer}`
  const message = `strategy "${name}" answered ${given}, which is no candidate's index; the first candidate serves`
  return new EvenkeelError('EVENKEEL_STRATEGY', message)
}
