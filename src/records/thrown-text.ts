/** What is said of a thrown value that is no `Error`. */

import { inspect } from 'node:util'

/** Never throws, whatever the value does when it is turned into text. */
export function thrownText(thrown: unknown): string {
  return `the task threw ${thrown === null ? 'null' : typeof thrown}: ${shownValue(thrown)}`
}

/** Enough of an object to recognise it. */
const SHOWN = {
  depth: 2,
  maxArrayLength: 20,
  maxStringLength: 1_000,
  breakLength: Number.POSITIVE_INFINITY,
  // The value's own code could do anything.
  customInspect: false,
  getters: false,
} as const

/** Objects with more properties than this are only counted: all of them would be formatted. */
const MAX_SHOWN_KEYS = 1_000

/** The value as text. Runs no code of the value's, except the traps of a proxy. Never throws. */
export function shownValue(value: unknown): string {
  try {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return String(value)
    const isLarge = !Array.isArray(value) && Object.keys(value).length > MAX_SHOWN_KEYS
    return isLarge ? `an object with ${Object.keys(value).length} properties` : inspect(value, SHOWN)
  } catch {
    return 'a value without text'
  }
}
