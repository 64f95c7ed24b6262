/**
 * Objects that must not be posted although the structured clone accepts them. Some arrive empty, without an error: a
 * `URL` becomes `{}` on Node 20, and so does an instance with only private fields on every version. A port must be
 * moved: cloning a closed port ends the process (Node 20 to 24).
 *
 * Objects that the clone only changes are allowed: an instance becomes a plain object, a `Buffer` a `Uint8Array`.
 */

import { types } from 'node:util'
import { MessagePort } from 'node:worker_threads'
import { kindName } from './thrown-value.js'
import { type Judge, type ValueFault, ValueWalk } from './value-walk.js'

/** What to do instead, by the object's string tag. */
const INSTEAD: Readonly<Record<string, string>> = {
  URL: 'send its href',
  URLSearchParams: 'send it as a string',
  Headers: 'send its entries, as in [...headers]',
  FormData: 'send its entries, as in [...form]',
  Request: 'send its url, method and body',
  Response: 'send its body, as in await response.text()',
  DOMException: 'send its name and message',
  AbortSignal: 'give it to the call as the option `signal`; the task finds it as context.signal',
  AbortController: 'give its signal to the call as the option `signal`; the task finds it as context.signal',
  Promise: 'await it first',
}

/** The most members that are checked; the rest is trusted. Three members cost 0.3 µs, 128 about 15 µs. */
const MAX_LOOKED_AT = 128

/**
 * Why the object must not be posted, or undefined. Meant for objects that are neither plain nor arrays, but right for
 * all. Runs no getters. About 0.1 µs. An instance without own properties that Node may be able to clone, such as a
 * `Blob`, is cloned for a test (20 µs on Node 20). Never throws.
 */
export function emptiedBy(object: object): string | undefined {
  try {
    if (types.isProxy(object)) return undefined
    if (object instanceof MessagePort) return PORT_REASON
    if (isCarried(object) || hasShownProperty(object)) return undefined
    if (isEmptyByNature(object) || !isNothing(structuredClone(object))) return undefined
    return `${nameOf(object)}, of which nothing would arrive; ${insteadOf(object) ?? 'send what is in it as plain data'}`
  } catch {
    // The clone itself will refuse it.
    return undefined
  }
}

export const PORT_REASON = 'a MessagePort that is not named in `transfer`, or was moved before'

/** Advice for an object that cannot be sent. */
export function insteadOf(object: object): string | undefined {
  try {
    const tag = Object.prototype.toString.call(object).slice('[object '.length, -1)
    return Object.hasOwn(INSTEAD, tag) ? INSTEAD[tag] : undefined
  } catch {
    return undefined
  }
}

/**
 * The first object in the value that must not be posted, by the shortest path. Checks the first 128 members, breadth
 * first; the rest of a large value is trusted. Primitives cost nothing. Never throws.
 * @param moved objects that are moved instead of cloned
 */
export function findEmptied(value: unknown, root: string, moved?: readonly unknown[]): ValueFault | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    return new ValueWalk(JUDGE, MAX_LOOKED_AT, moved).run(value, root)
  } catch {
    // A trap of a proxy threw. It will throw under the clone too, which reports it.
    return undefined
  }
}

const JUDGE: Judge = {
  met(value) {
    return typeof value !== 'object' || isPlain(value!) ? undefined : emptiedBy(value!)
  },
  opens(object) {
    if (isPlain(object) || types.isMap(object) || types.isSet(object)) return true
    return !types.isProxy(object) && !isCarried(object)
  },
  // Checked here, where the keys are known: listing those of a long dictionary takes half as long as a clone.
  opened(object, isLeaf) {
    return isLeaf && isPlain(object) ? emptiedBy(object) : undefined
  },
}

/** An array, or a plain object of this realm, as nearly all objects are. */
function isPlain(object: object): boolean {
  if (Array.isArray(object)) return true
  if (types.isProxy(object)) return false
  const prototype = Reflect.getPrototypeOf(object)
  return prototype === Object.prototype || prototype === null
}

function hasShownProperty(object: object): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return true
  return false
}

/** Kinds whose content the clone carries or refuses. */
function isCarried(object: object): boolean {
  return (
    Array.isArray(object) ||
    ArrayBuffer.isView(object) ||
    types.isDate(object) ||
    types.isMap(object) ||
    types.isSet(object) ||
    types.isAnyArrayBuffer(object) ||
    types.isNativeError(object) ||
    types.isRegExp(object) ||
    types.isBoxedPrimitive(object)
  )
}

/** `{}`, `Object.create(null)`, and dictionaries whose prototypes hold nothing. */
function isEmptyByNature(object: object): boolean {
  if (Reflect.ownKeys(object).length > 0) return false
  let prototype = Reflect.getPrototypeOf(object)
  while (prototype !== null && !isRoot(prototype)) {
    if (Reflect.ownKeys(prototype).length > 0) return false
    prototype = Reflect.getPrototypeOf(prototype)
  }
  return true
}

/** `Object.prototype`, of this or another realm. */
function isRoot(prototype: object): boolean {
  return Reflect.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')
}

function isNothing(clone: unknown): boolean {
  return typeof clone === 'object' && clone !== null && isEmptyByNature(clone)
}

function nameOf(object: object): string {
  const prototype = Reflect.getPrototypeOf(object)
  const isPlain = prototype === null || isRoot(prototype)
  return isPlain ? 'an object whose properties are symbols or not enumerable' : kindName(object)
}
