import { expect, test } from 'vitest'
import { StrategyGuard } from '../../../src/dispatcher/routing/strategy-guard.js'
import { FakeClock } from '../../support/fake-clock.js'
import { FakeLoadView } from '../../support/fake-load-view.js'

const view = new FakeLoadView(3)

function guardOf() {
  const clock = new FakeClock()
  const faults: unknown[] = []
  return { clock, faults, guard: new StrategyGuard(clock, (error) => faults.push(error)) }
}

test('a candidate’s index is handed on, -1 too, and nothing else', () => {
  const { guard, faults } = guardOf()
  const ask = (answer: unknown) => guard.ask({ name: 'own', pick: () => answer as number }, view, {})
  expect([ask(2), ask(-1), ask(3), ask(1.5), ask('1')]).toEqual([2, -1, undefined, undefined, undefined])
  expect(faults).toEqual([
    expect.objectContaining({ code: 'EVENKEEL_STRATEGY', message: expect.stringContaining('"own" answered 3') }),
  ])
})

test('each kind of fault is told once', () => {
  const { guard, faults } = guardOf()
  const fault = () => {
    throw new Error('boom')
  }
  const strategy = { name: 'own', pick: fault, membershipChanged: fault }
  for (let round = 0; round < 3; round++) {
    expect(guard.ask(strategy, view, {})).toBeUndefined()
    guard.tellMembership(strategy, view)
  }
  expect([faults, guard.isAsking]).toEqual([[new Error('boom')], false])
})

test('what an async strategy rejects with is told too, and is no unhandled rejection', async () => {
  const { guard, faults } = guardOf()
  const fault = async () => {
    throw new Error('boom')
  }
  const strategy = { name: 'own', pick: fault as never, membershipChanged: fault as never }
  guard.tellMembership(strategy, view)
  expect(guard.ask(strategy, view, {})).toBeUndefined()
  await new Promise(setImmediate)
  expect(faults).toEqual([expect.objectContaining({ code: 'EVENKEEL_STRATEGY' }), new Error('boom')])
})

test('it is known while a strategy is asked, also when that tells it of members', () => {
  const { guard } = guardOf()
  const states: boolean[] = []
  const strategy = {
    name: 'own',
    pick: () => {
      guard.tellMembership({ name: 'other', pick: () => 0, membershipChanged: () => states.push(guard.isAsking) }, view)
      states.push(guard.isAsking)
      return 0
    },
  }
  guard.ask(strategy, view, {})
  expect([...states, guard.isAsking]).toEqual([true, true, false])
})

test('nobody is a fault only after a second in which nothing ran', () => {
  const { guard, clock, faults } = guardOf()
  const strategy = { name: 'own', pick: () => -1 }
  const choose = (isBusy: boolean, afterMs: number) => {
    clock.advance(afterMs)
    guard.choseNobody(strategy, isBusy)
    return faults.length
  }
  expect([choose(false, 0), choose(false, 999), choose(true, 1_000), choose(false, 999)]).toEqual([0, 0, 0, 0])
  expect([choose(false, 1), choose(false, 5_000)]).toEqual([1, 1])
  expect(faults[0]).toMatchObject({ code: 'EVENKEEL_STRATEGY', message: expect.stringContaining('nobody') })
})
