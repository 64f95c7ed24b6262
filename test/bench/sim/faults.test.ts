/** What goes wrong, and what each rule makes of it; expected figures are those of the theory notes, section 8. */

import { describe, expect, test } from 'vitest'
import type { DispatchFactory } from '../../../bench/sim/dispatch.js'
import { centralDispatch } from '../../../bench/sim/dispatch-central.js'
import { windowedDispatch } from '../../../bench/sim/dispatch-windowed.js'
import { modelLoad } from '../../../bench/sim/load-rule.js'
import { scenarioNamed } from '../../../bench/sim/scenarios.js'
import { strategyOf, systems } from '../../../bench/sim/systems.js'
import { once, pool, pushed } from './play.js'

const evenkeel = systems.find(({ name }) => name === 'evenkeel')!.dispatch
const bounded = systems.find(({ name }) => name === 'jbsq-2')!.dispatch
const literal = pushed({ name: 'range-table', draws: 1, steepness: 1, signal: 'reported' })
const oneExactDraw = pushed({ name: 'range-table', draws: 1, steepness: 1 })
const twoExactDraws = pushed({ name: 'range-table', steepness: 1 })

describe('domino: a worker with more than 40 tasks dies, a freeze of 60 starts it', () => {
  const domino = (dispatch: DispatchFactory, taskCount = 60_000) => once(scenarioNamed('domino'), dispatch, taskCount)

  test('least loaded on stale reports brings the whole pool down, again and again', () => {
    const { measures, response } = domino(pushed('least-loaded'), 20_000)
    expect(measures.crashes / measures.stalls).toBeGreaterThan(20)
    expect(measures.outages).toBeGreaterThan(10)
    expect(response.p99).toBe(Number.POSITIVE_INFINITY)
  })

  test('the range table on the same reports loses the frozen worker only', () => {
    const { measures } = domino(literal)
    expect(measures.crashes / measures.stalls).toBeLessThanOrEqual(1)
    expect(measures.crashes).toBeGreaterThan(0)
    expect(measures.outages).toBe(0)
    expect(measures.unsettled).toBe(0)
  })

  test.each([
    ['one draw from the table', oneExactDraw],
    ['two choices', pushed('two-choices')],
    ['least outstanding', pushed('least-outstanding')],
    ['the default dispatcher', evenkeel],
  ])('%s on exact counts loses no worker', (_name, dispatch) => {
    expect(domino(dispatch).measures.crashes).toBe(0)
  })
})

describe('stall: a worker freezes for 50 of every 500', () => {
  // 200,000 tasks are 57 stalls. What a blind rule sends is Poisson with mean 35 per stall; the others scatter less.
  const sent = (dispatch: DispatchFactory): number => {
    const { measures } = once(scenarioNamed('stall'), dispatch, 200_000)
    return measures.sentToStalled / measures.stalls
  }

  test('tasks sent into the frozen worker: a blind rule 35, stale table 37, exact table 8, two draws 3.3', () => {
    expect(sent(pushed('random'))).toBeGreaterThan(31)
    expect(sent(pushed('random'))).toBeLessThan(39)
    expect(sent(literal)).toBeGreaterThan(28)
    expect(sent(oneExactDraw)).toBeGreaterThan(6.5)
    expect(sent(oneExactDraw)).toBeLessThan(9.5)
    expect(sent(twoExactDraws)).toBeGreaterThan(2.6)
    expect(sent(twoExactDraws)).toBeLessThan(4)
  })

  test('least outstanding sends 1.5, two tasks a worker 1.2, the ideal 0.3; the default dispatcher 2, and takes them back', () => {
    expect(sent(pushed('least-outstanding'))).toBeLessThan(1.9)
    expect(sent(bounded)).toBeLessThan(1.5)
    expect(sent(evenkeel)).toBeLessThan(2.6)
    expect(sent(centralDispatch())).toBeLessThan(0.5)
  })

  test('take-back leaves a task that was posted before the freeze where the ideal has it', () => {
    const p999 = (dispatch: DispatchFactory): number => once(scenarioNamed('stall'), dispatch, 200_000).response.p999
    const ideal = p999(centralDispatch())
    expect(p999(evenkeel) / ideal).toBeLessThan(1.15)
    expect(p999(literal) / ideal).toBeGreaterThan(5)
  })

  test('without take-back a deep window holds tasks back for the length of the freeze', () => {
    const late = (takeBack: boolean): number =>
      once(
        scenarioNamed('stall'),
        windowedDispatch({
          strategy: strategyOf('round-robin'),
          load: modelLoad(16),
          rules: { window: 16, idleFirst: false, takeBack },
        }),
        100_000,
      ).response.p999
    // Round robin fills sixteen places of the frozen worker; of these tasks the oldest waits for all of the freeze.
    expect(late(false)).toBeGreaterThan(45)
    expect(late(true)).toBeLessThan(20)
  })
})

describe('sinkhole: one worker fails everything in 0.02, utilisation 0.7', () => {
  const scenario = pool({ utilisation: 0.7, sinkhole: { worker: 3, failMs: 0.02 } })
  const failed = (dispatch: DispatchFactory): number => once(scenario, dispatch, 100_000).measures.failed / 100_000

  test.each([
    ['random', pushed('random'), 0.099],
    ['the exact table', oneExactDraw, 0.117],
    ['two choices', pushed('two-choices'), 0.165],
    ['least outstanding', pushed('least-outstanding'), 0.256],
    ['two tasks a worker', bounded, 0.256],
    ['the central queue', centralDispatch(), 0.256],
  ])('%s: share of failed tasks within one point of the published value', (_name, dispatch, expected) => {
    expect(Math.abs(failed(dispatch) - expected)).toBeLessThan(0.01)
  })

  test('the default dispatcher takes the credit and then ejects the worker: below one in a hundred', () => {
    expect(failed(evenkeel)).toBeLessThan(0.01)
    expect(failed(evenkeel)).toBeGreaterThan(0)
  })
})

describe('crash and cold restart', () => {
  test('every task is answered, the restarted worker is not flooded, and the tail stays near the ideal', () => {
    const scenario = scenarioNamed('crash')
    const run = once(scenario, evenkeel, 100_000)
    expect(run.measures.crashes).toBeGreaterThan(20)
    expect(run.measures.unsettled).toBe(0)
    expect(run.response.p99 / once(scenario, centralDispatch(), 100_000).response.p99).toBeLessThan(1.15)
  })
})
