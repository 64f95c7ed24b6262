/** Random runs, crashes, aborts and resizes at the edge between idle and ended threads. */

import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { withHost } from '../../support/case-host.js'
import { within } from '../../support/outcome.js'

/** Numerical Recipes' linear congruential generator: plain, seedable, good enough to scatter choices. */
export function seededChance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const CODES = /^EVENKEEL_(WORKER_EXIT|LOST_WITH_WORKER|ABORTED|TIMEOUT|POISON)$/

/** Runs for `durationMs`; every promise must settle, with its own answer or with a code that says why not. */
export function soak(seed: number, durationMs: number): Promise<void> {
  return withHost(async ({ pool }) => {
    const chance = seededChance(seed)
    const internal: unknown[] = []
    const four = pool({ workers: { min: 0, max: 4 }, idleMs: 10, graceMs: 20 })
    four.on('error', (error) => internal.push(error))
    const open = new Set<Promise<void>>()
    let settled = 0
    const check = (call: Promise<unknown>, expected: unknown) => {
      const done = call.then(
        (value) => expect(value).toBe(expected),
        (error) => expect(String(error.code), String(error.stack)).toMatch(CODES),
      )
      const tracked = done.then(() => {
        settled++
        open.delete(tracked)
      })
      open.add(tracked)
    }
    const endMs = performance.now() + durationMs
    let submitted = 0
    while (performance.now() < endMs) {
      const choice = chance()
      const i = submitted++
      if (choice < 0.5) check(four.run('plus', i), i + 1)
      else if (choice < 0.6) check(four.run('exitSoon', 8 + 6 * chance()), 'ok')
      else if (choice < 0.7) check(four.run('nap', 10), 10)
      else if (choice < 0.8)
        check(four.run('nap', 12, { signal: AbortSignal.timeout(8 + Math.floor(6 * chance())) }), 12)
      else if (choice < 0.85) check(four.run('forever', 0, { runTimeoutMs: 10 }), 'never')
      else if (choice < 0.9) check(four.run('napIo', 9), 9)
      else if (choice < 0.95) check(four.run('exit', 3), 'never')
      else {
        four.resize({ min: Math.floor(2 * chance()), max: 1 + Math.floor(4 * chance()) })
        submitted--
      }
      await sleep(8 + 6 * chance())
    }
    await within(30_000, Promise.all(open))
    expect(settled).toBe(submitted)
    // Only what tasks threw or exited with may be reported; a TypeError of our own may not.
    expect(internal.filter((error) => error instanceof TypeError)).toEqual([])
  })
}
