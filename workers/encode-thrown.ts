/** What a task threw, in the form that crosses the boundary. */

import { isCloneable } from '../src/protocol/clone-fault.js'
import { encodeError, type WireError } from '../src/protocol/error-transfer.js'

/** Levels of a property that crosses; a deeper one is left out. The main thread's smaller stack reads some thousand. */
const MAX_LEVELS = 500

export function encodeThrown(thrown: unknown): WireError {
  return encodeError(thrown, (value) => !isNestedDeeperThan(MAX_LEVELS, value) && isCloneable(value))
}

/** How deep values are nested: what a thread with a large stack can write, one with a small stack cannot read. */

/** Objects looked at before the rest is taken on trust. */
const MAX_LOOKED_AT = 20_000

/**
 * Whether the value holds objects within objects over more than so many levels. Looks at plain properties, elements,
 * and what Maps and Sets hold; may run getters, and throw what they throw.
 */
export function isNestedDeeperThan(levels: number, value: unknown): boolean {
  const seen = new Set<object>()
  // Depth first by a list of our own, so that our own stack does not matter.
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
