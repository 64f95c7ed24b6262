/** Maps and streams among the tasks of a chaos run: each must end, and give what is its own, once, in its order. */

import type { RandomSource } from '../../src/base/random.js'
import { answerFault, excerptOf, scribble } from './answers.js'
import { pick } from './pool-options.js'
import type { PoolRun } from './pool-run.js'
import { drawItem, planOf, type TaskPlan } from './task-plan.js'
import { faultOf, faultOfError } from './verdict.js'

const NAMES = ['quick', 'wait', 'edits', 'keeps', 'givesBytes', 'throws'] as const

/** An async source that waits, acts, and throws, at its end too. */
async function* sourceOf(pool: PoolRun, plans: readonly TaskPlan[]): AsyncGenerator<unknown> {
  const { hostile } = pool
  const act = (share: number) => {
    if (hostile.chance(share)) hostile.act('source', (error) => pool.ownThrows.add(error))
  }
  try {
    for (const plan of plans) {
      if (hostile.chance(0.1)) await new Promise((resolve) => setTimeout(resolve, 1))
      act(0.03)
      yield plan.payload
    }
  } finally {
    act(0.1)
  }
}

export async function mapLoop(pool: PoolRun, ids: readonly number[], random: RandomSource): Promise<string[]> {
  const name = pick(random, NAMES)
  const plans = ids.map((id): TaskPlan => {
    const plan = drawItem(random, id, name)
    return name === 'throws' ? { ...plan, ends: ['throw'] } : plan
  })
  const ordered = random() < 0.5
  const onError = random() < 0.6 ? 'yield' : 'throw'
  const signal = random() < 0.3 ? pool.signal : undefined
  const tag = random() < 0.2 ? 'tag 1' : undefined
  const leavesAt = random() < 0.2 ? Math.floor(random() * ids.length) : -1
  const options = {
    ordered,
    onError,
    concurrency: pick(random, [1, 4, 64]),
    ...(signal && { signal }),
    ...(tag && { tag }),
  }
  const source = random() < 0.3 ? plans.map(({ payload }) => payload) : sourceOf(pool, plans)
  const about = (fault: string) =>
    `map of ${name}, ${JSON.stringify({ ...options, signal: signal?.aborted })}: ${fault}`
  const faults: string[] = []
  const yielded = new Set<number>()
  let hasLeft = false
  try {
    for await (const item of pool.dispatcher.map(name, source, options as never)) {
      const { index, value, error } = item as { index: number; value: unknown; error?: unknown }
      if (yielded.has(index)) faults.push(about(`item ${index} came twice`))
      if (ordered && index !== yielded.size) faults.push(about(`item ${index} came as number ${yielded.size}`))
      yielded.add(index)
      const plan = { ...plans[index]!, options: { ...(tag && { tag }) } }
      const outcome =
        'error' in item ? ({ ok: false, error } as const) : ({ ok: true, fault: answerFault(plan, value) } as const)
      scribble(value)
      const fault = faultOf(plan, outcome, pool.startsOf(plan), pool.circumstances(signal, pool.closing))
      if (fault !== undefined) faults.push(about(`item ${index} ${fault}`))
      hasLeft = index === leavesAt
      if (hasLeft) break
    }
    if (!hasLeft && yielded.size !== ids.length) faults.push(about(`ended after ${yielded.size} of ${ids.length}`))
  } catch (error) {
    const plan = { ...plans[0]!, options: { ...(tag && { tag }) }, ends: plans[0]!.ends }
    // Any of its items may have failed.
    const owner = plans.find(({ id }) => id === (error as { id?: number }).id) ?? plan
    const fault = faultOfError({ ...plan, id: owner.id }, error, 1, pool.circumstances(signal, pool.closing))
    if (fault !== undefined) faults.push(about(fault))
  }
  for (const plan of plans) {
    const starts = pool.startsOf(plan).reduce((sum, count) => sum + count)
    if (starts > 1) faults.push(about(`task ${plan.id} was started ${starts} times`))
  }
  return faults
}

export async function streamLoop(pool: PoolRun, id: number, random: RandomSource): Promise<string[]> {
  const count = Math.floor(60 * random() * random())
  const deepAt = random() < 0.35 ? Math.floor(random() * count) : undefined
  const name = pick(random, ['yields', 'yieldsLater'] as const)
  const payload = { id, count, ms: Math.floor(random() * 2), ...(deepAt !== undefined && { deepAt }) }
  const plan: TaskPlan = { ...planOf(name, payload), ends: deepAt === undefined ? ['answer'] : ['clone'] }
  const signal = random() < 0.3 ? pool.signal : undefined
  const leavesAt = random() < 0.2 ? Math.floor(random() * count) : -1
  const about = (fault: string) => `stream ${id} of ${name}, ${count} items, deep at ${deepAt}: ${fault}`
  const faults: string[] = []
  let next = 0
  try {
    for await (const item of pool.dispatcher.stream(name, payload, signal === undefined ? {} : { signal })) {
      const { id: owner, step } = item as { id: number; step: number }
      if (owner !== id || step !== next) faults.push(about(`item ${next} is ${excerptOf(item)}`))
      if (deepAt !== undefined && step >= deepAt) faults.push(about(`item ${step} came`))
      scribble(item)
      if (next++ === leavesAt) return faults
      if (random() < 0.05) await new Promise((resolve) => setTimeout(resolve, 2))
    }
    if (next !== count) faults.push(about(`ended after ${next}`))
  } catch (error) {
    // A generator that a worker has begun notes its start with its first item.
    const noted = pool.startsOf(plan).reduce((sum, each) => sum + each)
    const starts = (error as { code?: string }).code === 'EVENKEEL_LOST_WITH_WORKER' ? Math.max(1, noted) : noted
    const fault = faultOfError(plan, error, starts, pool.circumstances(signal, pool.closing))
    if (fault !== undefined) faults.push(about(fault))
    const isClone = (error as { code?: string }).code === 'EVENKEEL_CLONE'
    if (isClone && next !== deepAt) faults.push(about(`EVENKEEL_CLONE after ${next} items`))
  }
  if (pool.startsOf(plan).some((each) => each > 1)) faults.push(about('started twice'))
  return faults
}
