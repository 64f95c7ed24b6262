/** Slots below this share one number with the hash of a point, so that the ring sorts as plain numbers. */
const MAX_SLOTS = 2 ** 20

/** 2^32 divided by the golden ratio, odd: neighbouring numbers land far apart (Knuth, TAOCP 6.4). */
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
 * Consistent hashing: every slot owns `points` pseudo-random points on a circle of 2^32, a key belongs to the slot of
 * the first point at or after its hash. A slot more takes about 1 / n of the keys and moves no other; a slot less
 * gives away only its own. Points depend on the slot number alone: a new thread on an old slot moves nothing.
 * Building costs O(n points log(n points)), a lookup O(log(n points)). Source: Karger et al., STOC 1997.
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

  /** Position of the first point at or after the key's hash, around the end; the ring must not be empty. */
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
