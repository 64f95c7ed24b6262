import { checkInteger, checkNumber, checkOneOf, ownOptions } from '../base/checks.js'
import { OptionRangeError, OptionTypeError } from '../base/errors.js'
import type { RandomSource } from '../base/random.js'
import type { SelectionStrategy } from './load-view.js'

/** One parameter of a strategy. Help texts, tables and checks all come from this description. */
export type StrategyParameter = {
  readonly name: string
  readonly meaning: string
} & (
  | { readonly type: 'integer' | 'number'; readonly default: number; readonly min: number; readonly max: number }
  | { readonly type: 'choice'; readonly default: string; readonly allowed: readonly string[] }
  /** One number per slot. Without it the strategy uses its own weights, which `meaning` names. */
  | { readonly type: 'weights' | 'integer-weights'; readonly default: undefined; readonly max: number }
)

/** What a strategy is made with, beside its parameters. */
export interface StrategyContext {
  readonly random: RandomSource
  /** Number of slots, if known at the start. Then lists of weights must have this length. */
  readonly size?: number
}

/** A strategy's entry in the catalogue. */
export interface StrategyEntry<Name extends string = string, Parameters extends object = object> {
  readonly name: Name
  /** One sentence for help texts and tables. */
  readonly summary: string
  readonly formula: string
  /** Cost of one pick, n workers. */
  readonly cost: string
  readonly source: string
  readonly whenNotTo: string
  readonly parameters: readonly StrategyParameter[]
  /** Makes the strategy. The parameters are complete and checked. */
  create(parameters: Parameters, context: StrategyContext): SelectionStrategy
}

/** Parameters of a strategy that has none. */
export type NoParameters = Record<never, never>

/** Parameters of a strategy that takes weights. */
export interface WeightsParameter {
  /** Weight per slot. A slot beyond the list gets the list's mean. */
  readonly weights?: readonly number[] | undefined
}

/**
 * The complete parameters of a strategy: the given ones, checked, and the defaults for the rest. Unknown names, wrong
 * types and values out of range throw an error that names `strategy.<parameter>`.
 *
 * @param given the specification, including its `name`
 * @param size number of slots, if known: lists of weights must have that length
 */
export function resolveParameters(entry: StrategyEntry, given: object, size?: number): Record<string, unknown> {
  const values = ownOptions('strategy', given, ['name', ...entry.parameters.map(({ name }) => name)])
  const resolved: Record<string, unknown> = Object.create(null)
  for (const parameter of entry.parameters) {
    const value = values[parameter.name]
    resolved[parameter.name] = value === undefined ? parameter.default : checkParameter(parameter, value, size)
  }
  return resolved
}

function checkParameter(parameter: StrategyParameter, value: unknown, size: number | undefined): unknown {
  const option = `strategy.${parameter.name}`
  switch (parameter.type) {
    case 'integer':
      return checkInteger(option, value, parameter.min, parameter.max)
    case 'number':
      return checkNumber(option, value, parameter.min, parameter.max)
    case 'choice':
      return checkOneOf(option, value, parameter.allowed)
    case 'weights':
    case 'integer-weights':
      return checkWeights(option, value, parameter, size)
  }
}

function checkWeights(
  option: string,
  value: unknown,
  parameter: StrategyParameter & { type: 'weights' | 'integer-weights' },
  size: number | undefined,
): readonly number[] {
  if (!Array.isArray(value)) throw new OptionTypeError(option, 'expected an array of numbers, one per worker')
  if (value.length === 0 || (size !== undefined && value.length !== size)) {
    throw new OptionRangeError(option, `expected one weight per worker (${size ?? 'at least 1'}), got ${value.length}`)
  }
  const check = parameter.type === 'weights' ? checkNumber : checkInteger
  return Object.freeze(Array.from(value, (weight, slot) => check(`${option}[${slot}]`, weight, 0, parameter.max)))
}
