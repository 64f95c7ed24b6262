import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.js'
import { catalogue, createStrategy, type StrategySpec, strategyEntry } from '../../src/selection/catalogue.js'
import { resolveParameters } from '../../src/selection/strategy-entry.js'
import { FakeLoadView } from '../support/fake-load-view.js'

const NAMES = [
  'range-table',
  'random',
  'weighted-random',
  'weighted-random-subtract',
  'round-robin',
  'weighted-round-robin',
  'smooth-weighted-round-robin',
  'least-outstanding',
  'least-loaded',
  'two-choices',
  'consistent-hash',
  'dynamic-feedback',
  'load-interpretation',
]

const context = { random: seededRandom(1) }

describe('catalogue', () => {
  test('holds every algorithm of the sources once, under its usual name', () => {
    expect(catalogue.map((entry) => entry.name).sort()).toEqual([...NAMES].sort())
  })

  test('cannot be changed', () => {
    expect(Object.isFrozen(catalogue)).toBe(true)
    for (const entry of catalogue) {
      expect([entry, entry.parameters, ...entry.parameters].every(Object.isFrozen)).toBe(true)
    }
  })

  test.each(catalogue)(
    '$name says what it does, by which formula, at what cost, from where and when not to',
    (entry) => {
      for (const text of [entry.summary, entry.formula, entry.cost, entry.source, entry.whenNotTo]) {
        expect(text).toMatch(/\S{3}/)
        expect(text).not.toMatch(/\n/)
      }
    },
  )

  test.each(catalogue)('$name has defaults that its own checks accept', (entry) => {
    const defaults = Object.fromEntries(entry.parameters.map((parameter) => [parameter.name, parameter.default]))
    expect(resolveParameters(entry, defaults)).toEqual(defaults)
    for (const parameter of entry.parameters) expect(parameter.meaning).toMatch(/\S{3}/)
  })
})

describe('strategyEntry', () => {
  test('finds by name and refuses others with the list', () => {
    expect(strategyEntry('two-choices').name).toBe('two-choices')
    expect(() => strategyEntry('fastest')).toThrow(RangeError)
    for (const name of NAMES) expect(() => strategyEntry('fastest')).toThrow(name)
    expect(() => strategyEntry('toString')).toThrow(RangeError)
  })
})

describe('createStrategy', () => {
  test.each(NAMES)('makes %s from its name and from a specification', (name) => {
    expect(createStrategy(name as 'random', context).name).toBe(name)
    expect(createStrategy({ name } as StrategySpec, context).name).toBe(name)
  })

  test('hands the parameters on', () => {
    const strategy = createStrategy({ name: 'weighted-random', weights: [0, 1, 0] }, { ...context, size: 3 })
    expect(strategy.pick(new FakeLoadView(3), {})).toBe(1)
  })

  test('the types know each strategy and its parameters', () => {
    // @ts-expect-error: random takes no weights
    expect(() => createStrategy({ name: 'random', weights: [1] }, context)).toThrow(TypeError)
    // @ts-expect-error: draws is a number
    expect(() => createStrategy({ name: 'range-table', draws: '2' }, context)).toThrow(TypeError)
    // @ts-expect-error: no such strategy
    expect(() => createStrategy('fastest', context)).toThrow(RangeError)
    for (const { name } of catalogue) expect(createStrategy({ name }, context).name).toBe(name)
  })

  test('passes a strategy of the caller through, whatever else it has', () => {
    const own = { name: 'mine', pick: () => 0, draws: 7 }
    expect(createStrategy(own, context)).toBe(own)
  })

  test('two strategies of one name share nothing', () => {
    const view = new FakeLoadView(3)
    const [one, other] = [createStrategy('round-robin', context), createStrategy('round-robin', context)]
    expect([one.pick(view, {}), one.pick(view, {}), other.pick(view, {})]).toEqual([0, 1, 0])
  })

  test.each([
    ['fastest', RangeError, /unknown strategy 'fastest'/],
    ['roundrobin', RangeError, /unknown strategy 'roundrobin'; did you mean 'round-robin'\?/],
    [{ name: 'fastest' }, RangeError, /unknown strategy/],
    [{ name: 'range-table', draw: 2 }, TypeError, /strategy\.draw: unknown option/],
    [{ name: 'range-table', draws: 3 }, RangeError, /strategy\.draws/],
    [{ name: 'range-table', steepness: 5 }, RangeError, /strategy\.steepness/],
    [{ name: 'range-table', signal: 'stale' }, RangeError, /exact, reported/],
    [{ name: 'random', weights: [1] }, TypeError, /strategy\.weights: unknown option/],
    [{ name: 'weighted-random', weights: [1, 2] }, RangeError, /one weight per worker \(3\), got 2/],
    [{ name: 'weighted-round-robin', weights: [1, 2, 0.5] }, RangeError, /strategy\.weights\[2\]/],
    [{ name: 'dynamic-feedback', weights: [0, 0, 0] }, RangeError, /at least one initial weight/],
    [{ name: 'dynamic-feedback', weights: [0.5, 2, 1] }, RangeError, /strategy\.weights\[1\]/],
    [{}, TypeError, /strategy\.name/],
    [{ pick: () => 0 }, TypeError, /strategy\.name/],
    [5, TypeError, /strategy: expected an object/],
    [null, TypeError, /strategy: expected an object/],
    [undefined, TypeError, /strategy: expected an object/],
  ])('refuses %o', (strategy, kind, message) => {
    const attempt = () => createStrategy(strategy as StrategySpec, { ...context, size: 3 })
    expect(attempt).toThrow(kind)
    expect(attempt).toThrow(message)
  })
})
