/**
 * Several pools in one process, measured in turn: blocks of tasks, one task at a time, the order of the systems drawn
 * anew in every round. What the machine does to one of them it does to all.
 */

import type { RandomSource } from '../../src/base/random.js'
import type { Contender } from '../contenders/contender.js'
import type { SystemSpec } from '../harness/sample.js'
import { shuffled } from '../harness/seeded-order.js'
import { closePool, openPool, warmThreads } from './pool.js'

export interface AlternateBlocks {
  /** Rounds in which every system has one block. */
  readonly blocks: number
  /** The first rounds only warm up. */
  readonly warmUpBlocks: number
  readonly tasksPerBlock: number
}

/** What `measureOne` returned, by system label. */
export async function alternately<T>(
  systems: readonly SystemSpec[],
  { blocks, warmUpBlocks, tasksPerBlock }: AlternateBlocks,
  random: RandomSource,
  measureOne: (pool: Contender) => Promise<T>,
): Promise<Record<string, T[]>> {
  const pools: { label: string; pool: Contender; measured: T[] }[] = []
  for (const system of systems) {
    const pool = await openPool(system)
    await warmThreads(pool, system.workers)
    pools.push({ label: system.label, pool, measured: [] })
  }
  for (let block = 0; block < blocks; block++) {
    for (const { pool, measured } of shuffled(pools, random)) {
      for (let task = 0; task < tasksPerBlock; task++) {
        const result = await measureOne(pool)
        if (block >= warmUpBlocks) measured.push(result)
      }
    }
  }
  for (const { pool } of pools) await closePool(pool)
  return Object.fromEntries(pools.map(({ label, measured }) => [label, measured]))
}
