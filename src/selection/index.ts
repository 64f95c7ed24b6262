/**
 * Strategies that choose one index from load figures: numbers in, index out, usable alone. Which workers are candidates:
 * `dispatcher/routing/placement.ts`.
 */

export { catalogue, createStrategy, type StrategyName, type StrategySpec, strategyEntry } from './catalogue.js'
export type { LoadView, SelectionStrategy, SelectionTask } from './load-view.js'
export { RangeTable, type WorkerRange } from './range-table.js'
export type { StrategyContext, StrategyEntry, StrategyParameter } from './strategy-entry.js'
export { type FeedbackCoefficients, feedbackWeight, rangeWidth } from './weight-formulas.js'
