import { HashRing } from '../hash-ring.js'
import type { LoadView, SelectionStrategy, SelectionTask } from '../load-view.js'
import type { StrategyContext, StrategyEntry } from '../strategy-entry.js'
import { rangeTable } from './range-table.js'

export interface ConsistentHashParameters {
  /** Points of each slot on the ring; the shares of n workers differ by about 1 / sqrt(points). */
  readonly points: number
  /** Where a key goes while its worker is no candidate. */
  readonly spill: 'table' | 'ring'
}

export const consistentHash: StrategyEntry<'consistent-hash', ConsistentHashParameters> = {
  name: 'consistent-hash',
  summary: 'Equal keys go to one worker; tasks without a key go through the range table.',
  formula:
    'slot of the first point at or after hash(key) on the ring; not a candidate: range table, or the next on the ring',
  cost: 'O(key length + log n); the ring is built when the number of slots changes',
  source: 'Karger et al., Consistent hashing and random trees, STOC 1997',
  whenNotTo: 'Without per-key state or caches in the workers: it places tasks regardless of load.',
  parameters: [
    { name: 'points', type: 'integer', default: 128, min: 1, max: 4096, meaning: 'points of a slot on the ring' },
    {
      name: 'spill',
      type: 'choice',
      default: 'table',
      allowed: ['table', 'ring'],
      meaning:
        "while the key's worker is no candidate: the range table (least wait) or the next on the ring (equal keys stay together)",
    },
  ],
  create: (parameters, context) => new ConsistentHash(parameters, context),
}

class ConsistentHash implements SelectionStrategy {
  readonly name = 'consistent-hash'
  readonly #points: number
  readonly #alongRing: boolean
  readonly #table: SelectionStrategy
  #ring: HashRing

  constructor(parameters: ConsistentHashParameters, context: StrategyContext) {
    this.#points = parameters.points
    this.#alongRing = parameters.spill === 'ring'
    this.#table = rangeTable.create({ draws: 2, steepness: 2, signal: 'exact' }, context)
    this.#ring = new HashRing(context.size ?? 0, parameters.points)
  }

  pick(view: LoadView, task: SelectionTask): number {
    if (task.key === undefined || view.size === 0) return this.#table.pick(view, task)
    if (this.#ring.size !== view.size) this.#ring = new HashRing(view.size, this.#points)
    const position = this.#ring.position(task.key)
    const steps = this.#alongRing ? this.#ring.length : 1
    for (let step = 0; step < steps; step++) {
      const slot = this.#ring.slot(position, step)
      if (view.isCandidate(slot)) return slot
    }
    return this.#table.pick(view, task)
  }
}
