/** The systems that more than one command measures. */

import type { Settings } from '../contenders/contender.js'
import type { SystemSpec } from '../harness/sample.js'

export function evenkeel(workers: number, settings: Settings = {}, label = 'evenkeel'): SystemSpec {
  return { label, contender: 'evenkeel', workers, settings }
}

type Atomics = 'sync' | 'async' | 'disabled'

export function piscina(workers: number, atomics: Atomics, concurrentTasksPerWorker: number): SystemSpec {
  return {
    label: `piscina ${atomics} c=${concurrentTasksPerWorker}`,
    contender: 'piscina',
    workers,
    // Its timing of every task is a service evenkeel also gives; without it piscina is a little faster, so it gets that.
    settings: { atomics, concurrentTasksPerWorker, recordTiming: false },
  }
}

/** The settings among which piscina's best is looked for: its best depends on the machine. */
export function piscinaGrid(workers: number): SystemSpec[] {
  const modes: Atomics[] = ['sync', 'async', 'disabled']
  return modes.flatMap((atomics) => [piscina(workers, atomics, 1), piscina(workers, atomics, 64)])
}

export function piscinaDefault(workers: number): SystemSpec {
  return { label: 'piscina default', contender: 'piscina', workers, settings: {} }
}

export const isPiscina = (label: string): boolean => label.startsWith('piscina ')

export function raw(workers: number): SystemSpec {
  return { label: 'raw threads', contender: 'raw', workers, settings: {} }
}

export function floor(workers: number): SystemSpec {
  return { label: 'floor', contender: 'floor', workers, settings: {} }
}

export function poolifier(workers: number, strategy: string): SystemSpec {
  return { label: `poolifier ${strategy}`, contender: 'poolifier', workers, settings: { strategy } }
}

/** All seven, in the order of poolifier's documentation. */
export const poolifierStrategies = [
  'ROUND_ROBIN',
  'LEAST_USED',
  'LEAST_BUSY',
  'LEAST_ELU',
  'WEIGHTED_ROUND_ROBIN',
  'INTERLEAVED_WEIGHTED_ROUND_ROBIN',
  'FAIR_SHARE',
] as const

export function tinypool(workers: number): SystemSpec {
  return { label: 'tinypool', contender: 'tinypool', workers, settings: {} }
}

export function workerpool(workers: number): SystemSpec {
  return { label: 'workerpool', contender: 'workerpool', workers, settings: {} }
}

/** The other libraries, each with its defaults. */
export function otherPools(workers: number): SystemSpec[] {
  return [poolifier(workers, 'LEAST_USED'), tinypool(workers), workerpool(workers)]
}
