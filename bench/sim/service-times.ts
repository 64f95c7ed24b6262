/** How long tasks run on a worker of speed 1, in milliseconds. */

import type { RandomSource } from '../../src/base/random.js'

export type ServiceSpec =
  | { readonly kind: 'fixed'; readonly meanMs: number }
  | { readonly kind: 'exponential'; readonly meanMs: number }
  /** A task is long with probability `longShare`. */
  | { readonly kind: 'bimodal'; readonly shortMs: number; readonly longMs: number; readonly longShare: number }
  /** Pareto with tail exponent `alpha` above 1, scaled to the mean; infinite variance at or below 2. */
  | { readonly kind: 'pareto'; readonly meanMs: number; readonly alpha: number }

/** Exponential variate of the mean given; 1 - random is never 0. */
export function exponential(meanMs: number, random: RandomSource): number {
  return -meanMs * Math.log(1 - random())
}

export function meanServiceMs(service: ServiceSpec): number {
  if (service.kind !== 'bimodal') return service.meanMs
  return service.shortMs + (service.longMs - service.shortMs) * service.longShare
}

/** One run time per call; one random number per call, so that equal seeds give every system the same tasks. */
export function serviceSource(service: ServiceSpec, random: RandomSource): () => number {
  switch (service.kind) {
    case 'fixed':
      return () => service.meanMs
    case 'exponential':
      return () => exponential(service.meanMs, random)
    case 'bimodal':
      return () => (random() < service.longShare ? service.longMs : service.shortMs)
    case 'pareto': {
      const leastMs = (service.meanMs * (service.alpha - 1)) / service.alpha
      return () => leastMs * (1 - random()) ** (-1 / service.alpha)
    }
  }
}
