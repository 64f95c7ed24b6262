/** When tasks arrive: gaps in milliseconds and how many tasks each arrival brings. */

import type { RandomSource } from '../../src/base/random.js'
import { exponential } from './service-times.js'

export type ArrivalSpec =
  | { readonly kind: 'poisson' }
  | { readonly kind: 'constant' }
  /** Poisson while on, silent while off; both periods exponential with these means. */
  | { readonly kind: 'bursty'; readonly onMs: number; readonly offMs: number }
  /** Poisson instants that each bring a geometric number of tasks (1, 2, ...) with this mean. */
  | { readonly kind: 'batched'; readonly meanSize: number }

export interface ArrivalSource {
  /** Time from the last arrival to the next. */
  gapMs(): number
  /** Tasks of the arrival whose gap was drawn last, at least 1. */
  size(): number
}

/** `perMs` is the long-run rate of tasks, whatever the pattern. */
export function arrivalSource(arrivals: ArrivalSpec, perMs: number, random: RandomSource): ArrivalSource {
  const one = (): number => 1
  switch (arrivals.kind) {
    case 'poisson':
      return { gapMs: () => exponential(1 / perMs, random), size: one }
    case 'constant':
      return { gapMs: () => 1 / perMs, size: one }
    case 'batched': {
      const { meanSize } = arrivals
      const stay = Math.log(1 - 1 / meanSize)
      return {
        gapMs: () => exponential(meanSize / perMs, random),
        size: meanSize === 1 ? one : () => 1 + Math.floor(Math.log(1 - random()) / stay),
      }
    }
    case 'bursty': {
      const { onMs, offMs } = arrivals
      const meanGapMs = onMs / ((onMs + offMs) * perMs)
      let leftMs = exponential(onMs, random)
      const gapMs = (): number => {
        let silentMs = 0
        let gap = exponential(meanGapMs, random)
        while (gap > leftMs) {
          silentMs += leftMs + exponential(offMs, random)
          // The gap is memoryless, so it starts anew with the next burst.
          leftMs = exponential(onMs, random)
          gap = exponential(meanGapMs, random)
        }
        leftMs -= gap
        return silentMs + gap
      }
      return { gapMs, size: one }
    }
  }
}
