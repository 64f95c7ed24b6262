/** How late the event loop of the caller's thread is. */

import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'

/** How often Node looks, ms; each of its values includes this time, so it is taken off again. */
const RESOLUTION_MS = 20

/** Lateness of a loop, ms. */
export interface LagFigures {
  readonly mean: number
  readonly p99: number
  readonly max: number
}

/**
 * Measures while it exists. Figures are of the current and the one before it of two alternating spans, so that a
 * stall is seen for at least one span and a reading changes nothing.
 */
export class LoopLag {
  #current: IntervalHistogram
  #last: LagFigures = { mean: 0, p99: 0, max: 0 }

  constructor() {
    this.#current = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    this.#current.enable()
  }

  /** Ends a span; to be called at the pace at which old lateness is to be forgotten. */
  nextSpan(): void {
    this.#last = figuresOf(this.#current)
    this.#current.reset()
  }

  /** The larger of both spans, figure by figure. */
  figures(): LagFigures {
    const current = figuresOf(this.#current)
    return {
      mean: Math.max(current.mean, this.#last.mean),
      p99: Math.max(current.p99, this.#last.p99),
      max: Math.max(current.max, this.#last.max),
    }
  }

  close(): void {
    this.#current.disable()
  }
}

function figuresOf(delays: IntervalHistogram): LagFigures {
  const lagMs = (delayNs: number) => (delays.count === 0 ? 0 : Math.max(0, delayNs / 1e6 - RESOLUTION_MS))
  return { mean: lagMs(delays.mean), p99: lagMs(delays.percentile(99)), max: lagMs(delays.max) }
}
