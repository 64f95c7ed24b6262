/**
 * Marc Brooker's toy ("The power of two random choices", 2012): ten servers, one request a second, every eight
 * seconds each server finishes its oldest request, and the queue lengths that the chooser sees are refreshed every
 * N seconds. Expected means are the values computed for the theory notes from the same description.
 */

import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/random.js'
import { createStrategy, type StrategyName } from '../../../src/selection/catalogue.js'
import type { LoadView } from '../../../src/selection/load-view.js'
import { off } from './play.js'

const SERVERS = 10
const SECONDS = 200_000

/** Mean seconds from request to finish. */
function meanWait(name: StrategyName, refreshEvery: number): number {
  const queues: number[][] = Array.from({ length: SERVERS }, () => [])
  const cached = new Float64Array(SERVERS)
  let version = 0
  const view: LoadView = {
    size: SERVERS,
    get version() {
      return version
    },
    isCandidate: () => true,
    load: (index) => Math.min(100, cached[index]!),
    outstanding: (index) => cached[index]!,
    reportedLoad: (index) => Math.min(100, cached[index]!),
    reportedDepth: (index) => cached[index]!,
    reportAgeMs: () => 0,
  }
  const strategy = createStrategy(name, { random: seededRandom(1), size: SERVERS })
  let waited = 0
  let finished = 0
  for (let second = 1; second <= SECONDS; second++) {
    queues[strategy.pick(view, {})]!.push(second)
    for (const queue of second % 8 === 0 ? queues : []) {
      const since = queue.shift()
      if (since === undefined) continue
      waited += second - since
      finished++
    }
    if (second % refreshEvery === 0) {
      queues.forEach((queue, index) => {
        cached[index] = queue.length
      })
      version++
    }
  }
  return waited / finished
}

const best = (refreshEvery: number): number => meanWait('least-outstanding', refreshEvery)
const bestOfTwo = (refreshEvery: number): number => meanWait('two-choices', refreshEvery)

describe('the stale cache toy', () => {
  test('random waits 17.5 s whatever the refresh', () => {
    expect(off(meanWait('random', 1), 17.5)).toBeLessThan(0.06)
  })

  test('the best of all waits 3.5 s when fresh, 9.5 at 10 s, 18.7 at 20 s, 67.6 at 60 s', () => {
    expect(off(best(1), 3.5)).toBeLessThan(0.02)
    expect(off(best(10), 9.5)).toBeLessThan(0.06)
    expect(off(best(20), 18.7)).toBeLessThan(0.06)
    expect(off(best(60), 67.6)).toBeLessThan(0.06)
  })

  test('the best of two waits 5.8 s when fresh, 8.1 at 10 s, 10.2 at 20 s, 16.7 at 60 s, 22.5 at 100 s', () => {
    expect(off(bestOfTwo(1), 5.8)).toBeLessThan(0.06)
    expect(off(bestOfTwo(10), 8.1)).toBeLessThan(0.06)
    expect(off(bestOfTwo(20), 10.2)).toBeLessThan(0.06)
    expect(off(bestOfTwo(60), 16.7)).toBeLessThan(0.06)
    expect(off(bestOfTwo(100), 22.5)).toBeLessThan(0.06)
  })

  test('the best of all wins only while fresh and loses to random from 20 s on', () => {
    expect(best(1)).toBeLessThan(bestOfTwo(1))
    expect(best(10)).toBeGreaterThan(bestOfTwo(10))
    expect(best(20)).toBeGreaterThan(17.5)
  })

  test('the best of two beats random at 60 s and loses to it at 80 s', () => {
    const random = meanWait('random', 1)
    expect(bestOfTwo(60)).toBeLessThan(random)
    expect(bestOfTwo(80)).toBeGreaterThan(random)
  })
})
