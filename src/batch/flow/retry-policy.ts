/** Which failures are worth another try, and after how long. */

import { EvenkeelError } from '../../base/errors.js'
import type { RandomSource } from '../../base/random.js'
import type { RecordRetries } from '../options/map-options.js'

/** Longest wait between two tries. */
const MAX_DELAY_MS = 3_600_000

/** A record that lost its worker through no fault of its own starts again at most this many times. */
const FREE_TRIES = 5

/** Failures that another try cannot mend. */
const LASTING: ReadonlySet<string> = new Set([
  'EVENKEEL_CLONE',
  'EVENKEEL_UNKNOWN_TASK',
  'EVENKEEL_MODULE_LOAD',
  'EVENKEEL_POISON',
  'EVENKEEL_CLOSED',
  'EVENKEEL_ABORTED',
])

export class RetryPolicy {
  readonly #options: RecordRetries
  readonly #random: RandomSource

  constructor(options: RecordRetries, random: RandomSource) {
    this.#options = options
    this.#random = random
  }

  /** Milliseconds to wait before the next try, or `undefined` when the failure is final. */
  delayMs(error: unknown, attempts: number): number | undefined {
    if (error instanceof EvenkeelError) {
      if (LASTING.has(error.code)) return undefined
      if (error.code === 'EVENKEEL_LOST_WITH_WORKER' && attempts <= FREE_TRIES) return 0
    } else if ((error as { retryable?: unknown } | null)?.retryable === false) return undefined
    const { times, delayMs, factor, jitter } = this.#options
    if (attempts > times) return undefined
    const wait = delayMs * factor ** (attempts - 1) * (1 + jitter * (this.#random() - 0.5))
    return Math.min(wait, MAX_DELAY_MS)
  }
}
