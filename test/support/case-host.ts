/**
 * What every case of a failure report asks for beside its own expectations: no uncaught error, unhandled rejection
 * or process warning in the host, and a pool that goes on working afterwards.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { Dispatcher, type DispatcherOptions } from '../../src/index.js'
import { fixtureUrl, within } from './outcome.js'

/** A case's own time bound is multiplied by this, for shared and noisy machines. */
export const SLACK = 4

/** A healthy pool answers `plus` well within this, ms, whatever it has just been through. */
const HEALTHY_MS = 20_000
/** Late faults, such as an answer to a task that is long settled, show within this, ms. */
const AFTERMATH_MS = 30

const FAULT_EVENTS = ['uncaughtException', 'unhandledRejection', 'warning'] as const

export interface CaseHost {
  /** A pool that must still work at the end. Without options: one worker and the module of small tasks. */
  pool(options?: Partial<DispatcherOptions>): Dispatcher
  /** A pool that the case closes itself: at the end it must refuse tasks and hold no thread. */
  closingPool(options?: Partial<DispatcherOptions>): Dispatcher
  /** The same for a pool without a loadable module or a `plus`: it is only closed. */
  brokenPool(options: Partial<DispatcherOptions>): Dispatcher
}

async function checkWorking(pool: Dispatcher): Promise<void> {
  expect(await within(HEALTHY_MS, pool.run('plus', 1))).toBe(2)
}

async function checkClosed(pool: Dispatcher): Promise<void> {
  await expect(pool.run('plus', 1)).rejects.toMatchObject({ code: 'EVENKEEL_CLOSED' })
  const left = () => pool.snapshot().workers.filter(({ state }) => state !== 'dead')
  // A close by its limit does not wait for the end of a thread, which takes its time on a busy machine.
  await vi.waitFor(() => expect(left()).toEqual([]), { timeout: HEALTHY_MS })
}

/** Runs the body with a host, then checks what every case must leave behind. */
export async function withHost(body: (host: CaseHost) => Promise<void>): Promise<void> {
  const faults: unknown[] = []
  const note = (fault: unknown) => faults.push(fault)
  for (const event of FAULT_EVENTS) process.on(event, note)
  const pools: Dispatcher[] = []
  const checks: (() => Promise<void>)[] = []
  const make = (options: Partial<DispatcherOptions>, check: ((pool: Dispatcher) => Promise<void>) | undefined) => {
    const pool: Dispatcher = new Dispatcher({ module: fixtureUrl('small-tasks.mjs'), workers: 1, ...options })
    pools.push(pool)
    if (check !== undefined) checks.push(() => check(pool))
    return pool
  }
  try {
    await body({
      pool: (options = {}) => make(options, checkWorking),
      closingPool: (options = {}) => make(options, checkClosed),
      brokenPool: (options) => make(options, undefined),
    })
    for (const check of checks) await check()
  } finally {
    await within(HEALTHY_MS, Promise.all(pools.map((pool) => pool.close({ force: true }))))
    await sleep(AFTERMATH_MS)
    for (const event of FAULT_EVENTS) process.off(event, note)
  }
  expect(faults).toEqual([])
}

/** A test whose body gets a host. */
export function caseTest(name: string, body: (host: CaseHost) => Promise<void>, timeoutMs?: number): void {
  test(name, () => withHost(body), timeoutMs)
}
