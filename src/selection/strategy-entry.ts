import type { RandomSource } from '../base/random.js'
import type { SelectionStrategy } from './load-view.js'

/** One parameter of a strategy, described so that help texts, tables and checks come from one place. */
export type StrategyParameter = {
  readonly name: string
  readonly meaning: string
} & (
  | { readonly type: 'integer' | 'number'; readonly default: number; readonly min: number; readonly max: number }
  | { readonly type: 'choice'; readonly default: string; readonly allowed: readonly string[] }
  /** One number per slot; without it the strategy's own weights, which `meaning` names. */
  | { readonly type: 'weights' | 'integer-weights'; readonly default: undefined; readonly max: number }
)

/** What a strategy gets from outside. */
export interface StrategyContext {
  readonly random: RandomSource
  /** Number of slots, when known at the start; lists of weights must then have this length. */
  readonly size?: number
}

/** A strategy as the catalogue knows it. */
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
  /** Makes the strategy; parameters are complete and checked. */
  create(parameters: Parameters, context: StrategyContext): SelectionStrategy
}

/** Parameters of a strategy that has none. */
export type NoParameters = Record<never, never>

/** Parameters of a strategy that takes weights. */
export interface WeightsParameter {
  /** Weight per slot; a slot beyond the list gets the list's mean. */
  readonly weights?: readonly number[] | undefined
}
