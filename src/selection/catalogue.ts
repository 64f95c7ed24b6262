import { checkObject, checkString } from '../base/checks.js'
import { OptionRangeError } from '../base/errors.js'
import { adviceOnName } from '../base/nearest-name.js'
import type { SelectionStrategy } from './load-view.js'
import { consistentHash } from './strategies/consistent-hash.js'
import { dynamicFeedback } from './strategies/dynamic-feedback.js'
import { leastLoaded } from './strategies/least-loaded.js'
import { leastOutstanding } from './strategies/least-outstanding.js'
import { loadInterpretation } from './strategies/load-interpretation.js'
import { uniformRandom } from './strategies/random.js'
import { rangeTable } from './strategies/range-table.js'
import { roundRobin } from './strategies/round-robin.js'
import { smoothWeightedRoundRobin } from './strategies/smooth-weighted-round-robin.js'
import { twoChoices } from './strategies/two-choices.js'
import { weightedRandom } from './strategies/weighted-random.js'
import { weightedRandomSubtract } from './strategies/weighted-random-subtract.js'
import { weightedRoundRobin } from './strategies/weighted-round-robin.js'
import { resolveParameters, type StrategyContext, type StrategyEntry } from './strategy-entry.js'

/** A new strategy is one new file and one line here. */
const entries = [
  rangeTable,
  leastOutstanding,
  twoChoices,
  weightedRandom,
  weightedRandomSubtract,
  uniformRandom,
  roundRobin,
  weightedRoundRobin,
  smoothWeightedRoundRobin,
  dynamicFeedback,
  loadInterpretation,
  consistentHash,
  leastLoaded,
] as const

type Entry = (typeof entries)[number]

type SpecOf<E> =
  E extends StrategyEntry<infer Name, infer Parameters> ? { readonly name: Name } & Partial<Parameters> : never

/** The names of the catalogue. */
export type StrategyName = Entry['name']

/** A strategy by name with the parameters that differ from their defaults. */
export type StrategySpec = SpecOf<Entry>

/**
 * All strategies, in the order of the documentation. Help texts, the README's table and the conformance tests use this
 * list.
 */
export const catalogue: readonly StrategyEntry<StrategyName>[] = Object.freeze(entries.map(frozen))

/** The strategy of this name. For an unknown name, throws OptionRangeError with the closest name or all names. */
export function strategyEntry(name: string): StrategyEntry<StrategyName> {
  const entry = catalogue.find((candidate) => candidate.name === name)
  if (entry === undefined) {
    const known = catalogue.map((candidate) => candidate.name)
    throw new OptionRangeError('strategy', `unknown strategy '${name}'; ${adviceOnName(name, known, 'known are')}`)
  }
  return entry
}

/**
 * Makes a strategy from a catalogue name or a specification `{ name, ...parameters }`. An object with `pick` is a
 * strategy already and is returned. Throws OptionTypeError for wrong types and unknown parameters, OptionRangeError for
 * unknown names and values out of range. A strategy keeps state, so each pool needs its own.
 */
// A separate signature: with the general one alone the compiler refuses `{ name }` with a name from the catalogue.
export function createStrategy(strategy: StrategySpec, context: StrategyContext): SelectionStrategy
export function createStrategy(
  strategy: StrategyName | StrategySpec | SelectionStrategy,
  context: StrategyContext,
): SelectionStrategy
export function createStrategy(
  strategy: StrategyName | StrategySpec | SelectionStrategy,
  context: StrategyContext,
): SelectionStrategy {
  if (typeof strategy === 'string') return create({ name: strategy }, context)
  const given = checkObject('strategy', strategy)
  // A `pick` on `Object.prototype` is not this object's.
  const { pick } = given
  if (typeof pick !== 'function' || pick === (Object.prototype as { pick?: unknown }).pick)
    return create(given, context)
  checkString('strategy.name', given.name)
  return strategy as SelectionStrategy
}

function create(given: object, context: StrategyContext): SelectionStrategy {
  const spec: Record<string, unknown> = Object.assign(Object.create(null), given)
  const entry = strategyEntry(checkString('strategy.name', spec.name))
  const own: StrategyContext = Object.assign(Object.create(null), context)
  return entry.create(resolveParameters(entry, spec, own.size), own)
}

function frozen<E extends StrategyEntry<StrategyName>>(entry: E): E {
  for (const parameter of entry.parameters) Object.freeze(parameter)
  Object.freeze(entry.parameters)
  return Object.freeze(entry)
}
