/**
 * The factors of a worker's load, in the order of every array of them. Source: dynamic feedback load balancing (the
 * fifth source, after the Linux Virtual Server), read for a thread; event-loop lag is the sixth.
 */
export const FACTOR_NAMES = ['cpu', 'memory', 'io', 'process', 'response', 'lag'] as const

/** One of the factors. */
export type FactorName = (typeof FACTOR_NAMES)[number]

export const CPU = 0
export const MEMORY = 1
export const IO = 2
export const PROCESS = 3
export const RESPONSE = 4
export const LAG = 5
