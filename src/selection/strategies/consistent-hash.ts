import type { LoadView, SelectionStrategy, SelectionTask } from '../load-view.js'
import type { StrategyContext, StrategyEntry } from '../strategy-entry.js'
import { rangeTable } from './range-table.js'

export interface ConsistentHashParameters {
  /** Points of each slot on the ring. The shares of the workers differ by about 1 / sqrt(points). */
  readonly points: number
  /** Where a key goes while its worker is not a candidate. */
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

/** A slot below this fits into one number with the hash of a point, so the ring is sorted as plain numbers. */
const MAX_SLOTS = 2 ** 20

/** 2^32 divided by the golden ratio, odd. Multiplied by it, neighbouring numbers get far apart (Knuth, TAOCP 6.4). */
const GOLDEN = 0x9e3779b1

/** MurmurHash3's 32-bit finaliser (Austin Appleby): every input bit moves about half of the output bits. */
function mix(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** 32-bit hash of a key: FNV-1a over its UTF-16 units, then mixed. O(length), allocates nothing. */
export function keyHash(key: string): number {
  let hash = 0x811c9dc5
  for (let k = 0; k < key.length; k++) hash = Math.imul(hash ^ key.charCodeAt(k), 0x01000193)
  return mix(hash)
}

/**
 * Consistent hashing: every slot owns `points` pseudo-random points on a circle of 2^32. A key belongs to the slot of
 * the first point at or after its hash. An added slot takes about 1 / n of the keys and moves no others; a removed slot
 * moves only its own. Points depend on the slot number alone, so a new thread on an old slot moves nothing. Building
 * costs O(n points log(n points)), a lookup O(log(n points)). Source: Karger et al., STOC 1997.
 */
export class HashRing {
  readonly size: number
  readonly #hashes: Float64Array
  readonly #slots: Int32Array

  constructor(size: number, points: number) {
    this.size = size
    const order = new Float64Array(size * points)
    for (let slot = 0; slot < size; slot++) {
      const origin = mix(Math.imul(slot + 1, GOLDEN))
      for (let point = 0; point < points; point++) {
        order[slot * points + point] = mix(origin + Math.imul(point, GOLDEN)) * MAX_SLOTS + slot
      }
    }
    order.sort()
    this.#slots = Int32Array.from(order, (entry) => entry % MAX_SLOTS)
    this.#hashes = order.map((entry) => Math.floor(entry / MAX_SLOTS))
  }

  /** Number of points. */
  get length(): number {
    return this.#hashes.length
  }

  /** Position of the first point at or after the key's hash, wrapping at the end. The ring must not be empty. */
  position(key: string): number {
    const hash = keyHash(key)
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#hashes[middle]! >= hash) high = middle
      else low = middle + 1
    }
    return low === this.length ? 0 : low
  }

  /** The slot that owns the point `steps` points after `position`. */
  slot(position: number, steps = 0): number {
    return this.#slots[(position + steps) % this.length]!
  }
}
