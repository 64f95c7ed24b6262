/** Opening and warming a pool in a measuring process. */

import { contenderEntry } from '../contenders/catalogue.js'
import type { Contender } from '../contenders/contender.js'
import type { SystemFigures, SystemSpec } from '../harness/sample.js'
import type { Trace, Work } from '../tasks.js'

/** A macrotask's pause: everything that this turn posted is out, and answers that came are taken in. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const pauseMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Ms of the monotonic clock that the tasks use too. */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** Starts the pool without waiting for its threads. */
export async function openPool(system: SystemSpec): Promise<Contender> {
  const create = await contenderEntry(system.contender).load()
  return create(system.workers, system.settings)
}

/** What was measured stands when a pool cannot end its threads: poolifier's `destroy` hung in 3 of 25 processes. */
const closeMs = 3_000

/** Ends the pool, or leaves it: the measuring process ends with its answer. */
export async function closePool(pool: Contender): Promise<void> {
  await Promise.race([pool.close(), pauseMs(closeMs)])
}

/** A task that long keeps a thread busy while the next one is submitted, so that it goes to another thread. */
const warmTask: Work = { kind: 'parked', ms: 5 }

/** After so many rounds a pool that still spares a thread is taken as it is. */
const maxWarmRounds = 40

/** Runs short tasks until every thread has answered one; returns the thread ids seen. */
export async function warmThreads(pool: Contender, workers: number): Promise<Set<number>> {
  const seen = new Set<number>()
  for (let round = 0; round < maxWarmRounds && seen.size < workers; round++) {
    const running: Promise<unknown>[] = []
    for (let at = 0; at < workers; at++) {
      running.push(pool.run('hold', warmTask))
      await nextTurn()
    }
    for (const trace of await Promise.all(running)) seen.add((trace as Trace)[0])
  }
  return seen
}

/** Opens, warms, measures and closes one pool. */
export async function withWarmPool<T>(system: SystemSpec, measure: (pool: Contender) => Promise<T>): Promise<T> {
  const pool = await openPool(system)
  await warmThreads(pool, system.workers)
  const result = await measure(pool)
  await closePool(pool)
  return result
}

/** Measures the systems one after the other; for probes that take one system, or several that do not disturb each other. */
export async function eachSystem(
  systems: readonly SystemSpec[],
  measure: (system: SystemSpec) => Promise<SystemFigures>,
): Promise<Record<string, SystemFigures>> {
  const figures: Record<string, SystemFigures> = {}
  for (const system of systems) figures[system.label] = await measure(system)
  return figures
}

/** Processor time of the whole process since `before`, µs: every thread counts. */
export function processorUs(before: NodeJS.CpuUsage): number {
  const used = process.cpuUsage(before)
  return used.user + used.system
}
