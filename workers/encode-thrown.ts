/** Encodes what a task threw for the caller's thread, whose stack may be smaller than the worker's. */

import { isCloneable } from '../src/protocol/clone-fault.js'
import { encodeError, type WireError } from '../src/protocol/error-transfer.js'

/**
 * The deepest nesting of a property that is sent; a deeper one is left out. The main thread reads some thousand levels.
 */
const MAX_LEVELS = 500

export function encodeThrown(thrown: unknown): WireError {
  return encodeError(thrown, (value) => !isNestedDeeperThan(MAX_LEVELS, value) && isCloneable(value))
}

/** The most objects that are looked at. The rest is taken to be shallow. */
const MAX_LOOKED_AT = 20_000

/**
 * Whether objects are nested in the value over more than `levels` levels. Looks at properties, elements, and members of
 * Maps and Sets. May run getters, and throw what they throw.
 */
export function isNestedDeeperThan(levels: number, value: unknown): boolean {
  const seen = new Set<object>()
  // Depth first, by a list instead of recursion, so that our own stack is no limit.
  const open: { readonly value: unknown; readonly level: number }[] = [{ value, level: 1 }]
  for (let place = open.pop(); place !== undefined && seen.size < MAX_LOOKED_AT; place = open.pop()) {
    const { value: inner, level } = place
    if (typeof inner !== 'object' || inner === null || ArrayBuffer.isView(inner) || seen.has(inner)) continue
    if (level > levels) return true
    seen.add(inner)
    for (const next of contentsOf(inner)) open.push({ value: next, level: level + 1 })
  }
  return false
}

function contentsOf(container: object): Iterable<unknown> {
  if (container instanceof Map) return [...container.keys(), ...container.values()]
  if (container instanceof Set) return container
  return Object.values(container)
}
