/** Event-loop lag of the caller's thread. */

import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'

/** How often Node measures, ms. Each of its values includes this time, so it is subtracted. */
const RESOLUTION_MS = 20

/** Event-loop lag, ms. */
export interface LagFigures {
  readonly mean: number
  readonly p99: number
  readonly max: number
}

/**
 * Measures until `close`. The figures cover the current span and the one before, so a stall shows for at least one
 * span. Reading changes nothing.
 */
export class LoopLag {
  #current: IntervalHistogram
  #last: LagFigures = { mean: 0, p99: 0, max: 0 }

  constructor() {
    this.#current = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    this.#current.enable()
  }

  /** Ends a span. Call it as often as old lag is to be forgotten. */
  nextSpan(): void {
    this.#last = figuresOf(this.#current)
    this.#current.reset()
  }

  /** For each figure, the larger of both spans. */
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
