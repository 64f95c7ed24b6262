/**
 * Finds the place in a value, or in its transfer list, that cannot be sent. The structured clone reports only what it
 * refused, not where, so this searches after the refusal.
 */

import { types } from 'node:util'
import { MessagePort } from 'node:worker_threads'
import { emptiedBy, findEmptied, insteadOf, PORT_REASON } from './emptied-values.js'
import { describe, errorBase, kindName, read } from './thrown-value.js'
import { isDetached } from './transfer.js'
import { type Judge, type ValueFault, ValueWalk } from './value-walk.js'

/** The most properties that are searched, in a few milliseconds. Beyond that the whole value is named. */
const MAX_LOOKED_AT = 50_000

/** Whether the structured clone accepts the value and does not empty it. Costs as much as a clone. Never throws. */
export function isCloneable(value: unknown): boolean {
  if (findEmptied(value, '') !== undefined) return false
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}

/**
 * The place of the first value that cannot be cloned, by the shortest path. Undefined when the bounded search finds
 * none. Runs getters, as the clone did. Never throws.
 * @param transferred objects that were moved instead of cloned: never the fault
 */
export function findCloneFault(
  value: unknown,
  root: string,
  transferred: readonly unknown[] = [],
): ValueFault | undefined {
  return new ValueWalk(JUDGE, MAX_LOOKED_AT, transferred).run(value, root)
}

/** The text of a thrown value. Never blank. */
export function reasonOf(thrown: unknown): string {
  const message = typeof thrown === 'object' && thrown !== null ? read(thrown, 'message') : undefined
  return typeof message === 'string' && message.trim() !== '' ? message : describe(thrown)
}

const JUDGE: Judge = {
  met(value) {
    if (typeof value !== 'object' || value === null) return describe(value)
    if (types.isProxy(value)) return 'a Proxy'
    return emptiedBy(value) ?? (mustBeMoved(value) ? `${kindName(value)} that is not named in \`transfer\`` : undefined)
  },
  // The clone reads no properties of these: it has its own way for them, or refuses them.
  opens(object) {
    return !(ArrayBuffer.isView(object) || types.isBoxedPrimitive(object) || errorBase(object) !== undefined)
  },
  opened(object, isLeaf) {
    const moved = movedReason(object)
    if (moved !== undefined || !isLeaf || isSurelyCloneable(object) || isCloneable(object)) return moved
    const instead = insteadOf(object)
    return instead === undefined ? kindName(object) : `${kindName(object)}; ${instead}`
  },
  threw(error) {
    return `its getter threw: ${reasonOf(error)}`
  },
}

/** Whether it is a movable stream or file. Memory can be copied, too. */
function mustBeMoved(object: object): boolean {
  return isMovable(object) && !types.isAnyArrayBuffer(object) && !isCloneable(object)
}

/** Things that can only be moved, or were. They are never cloned for a test: cloning a closed port ends the process. */
function movedReason(object: object): string | undefined {
  if (object instanceof MessagePort) return PORT_REASON
  const buffer = ArrayBuffer.isView(object) ? object.buffer : object
  const moved = buffer instanceof ArrayBuffer && isDetached(buffer)
  return moved ? `${kindName(object)} whose memory was moved elsewhere before` : undefined
}

/** Decided without a test clone, which would copy large data. */
function isSurelyCloneable(object: object): boolean {
  if (ArrayBuffer.isView(object)) return object.byteLength > 0
  return types.isAnyArrayBuffer(object) && object.byteLength > 0
}

/** Classes whose instances Node moves, by name because `FileHandle` is not exported. */
const MOVABLE: ReadonlySet<string> = new Set([
  'ArrayBuffer',
  'MessagePort',
  'ReadableStream',
  'WritableStream',
  'TransformStream',
  'FileHandle',
])

/**
 * The first object of the list that cannot be moved. Undefined when the fault is not in the list. Never throws.
 * @param reason Node's message: only Node knows whether a port was closed or moved before
 */
export function findTransferFault(list: readonly unknown[], reason: string): ValueFault | undefined {
  const seen = new Set<unknown>()
  for (let index = 0; index < list.length; index++) {
    const item = list[index]
    const against = seen.has(item) ? 'it stands in the list twice' : reasonAgainst(item)
    if (against !== undefined) return { path: `transfer[${index}]`, reason: against }
    seen.add(item)
  }
  return /port in transfer list|source port/i.test(reason) ? portFault(list, reason) : undefined
}

/** The port is known only when the list has just one. */
function portFault(list: readonly unknown[], reason: string): ValueFault {
  const ports = list.filter((item) => item instanceof MessagePort)
  return { path: ports.length === 1 ? `transfer[${list.indexOf(ports[0])}]` : 'transfer', reason }
}

function reasonAgainst(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return `${describe(item)} is not transferable`
  if (types.isProxy(item)) return 'a Proxy is not transferable'
  if (ArrayBuffer.isView(item)) return `${kindName(item)} is not transferable; name its buffer`
  if (item instanceof SharedArrayBuffer) return 'a SharedArrayBuffer is shared as it is, and never moved'
  if (item instanceof ArrayBuffer) return isDetached(item) ? 'its memory was moved elsewhere before' : undefined
  if (read(item, 'locked') === true) return `${kindName(item)} that is locked`
  return isMovable(item) ? undefined : `${kindName(item)} is not transferable`
}

/** Whether its class can be moved. Never throws. */
export function isMovable(item: object): boolean {
  for (let prototype: unknown = item; typeof prototype === 'object' && prototype !== null; ) {
    const made = read(prototype, 'constructor')
    if (typeof made === 'function' && MOVABLE.has(made.name)) return true
    prototype = prototypeOf(prototype)
  }
  return false
}

function prototypeOf(object: object): object | null {
  try {
    return Reflect.getPrototypeOf(object)
  } catch {
    return null
  }
}
