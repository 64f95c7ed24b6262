/**
 * Where a payload or a result holds what the structured clone refuses. The clone itself says only what it refused,
 * not where; this looks again, after the refusal, and names the place.
 */

import { types } from 'node:util'
import { MessagePort } from 'node:worker_threads'
import { emptiedBy, findEmptied, insteadOf, PORT_REASON } from './emptied-values.js'
import { describe, errorBase, kindName, read } from './thrown-value.js'
import { isDetached } from './transfer.js'
import { type Judge, type ValueFault, ValueWalk } from './value-walk.js'

/** Properties looked at before the search gives up and names the whole value: a few milliseconds of work. */
const MAX_LOOKED_AT = 50_000

/** Whether the structured clone takes the value and leaves something of it; costs as much as the clone. Never throws. */
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
 * The place of the first thing that cannot be cloned, by the shortest path; undefined where bounded work finds
 * none. Runs getters, as the clone did. Never throws.
 * @param transferred objects that were handed over rather than cloned: never the fault.
 */
export function findCloneFault(
  value: unknown,
  root: string,
  transferred: readonly unknown[] = [],
): ValueFault | undefined {
  return new ValueWalk(JUDGE, MAX_LOOKED_AT, transferred).run(value, root)
}

/** What a thrown value says of itself; never blank. */
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
  // The clone reads no properties of these: it knows them, or refuses them whole.
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

/** A stream or a file; memory can be copied too. */
function mustBeMoved(object: object): boolean {
  return isMovable(object) && !types.isAnyArrayBuffer(object) && !isCloneable(object)
}

/** What can only be moved, or was. Never tried: cloning a port that was closed ends the process. */
function movedReason(object: object): string | undefined {
  if (object instanceof MessagePort) return PORT_REASON
  const buffer = ArrayBuffer.isView(object) ? object.buffer : object
  const moved = buffer instanceof ArrayBuffer && isDetached(buffer)
  return moved ? `${kindName(object)} whose memory was moved elsewhere before` : undefined
}

/** Told without trying, because the trial would copy what may be large. */
function isSurelyCloneable(object: object): boolean {
  if (ArrayBuffer.isView(object)) return object.byteLength > 0
  return types.isAnyArrayBuffer(object) && object.byteLength > 0
}

/** Which object of a transfer list cannot be moved. Node names none of them. */

/** Classes whose instances Node moves; `FileHandle` is one that cannot be named otherwise. */
const MOVABLE: ReadonlySet<string> = new Set([
  'ArrayBuffer',
  'MessagePort',
  'ReadableStream',
  'WritableStream',
  'TransformStream',
  'FileHandle',
])

/**
 * The first object of the list that cannot be moved; undefined where the fault is not in the list. Never throws.
 * @param reason what Node said: it alone knows of a port whether it was closed or moved before
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

/** Which port it is can be told where there is only one. */
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

/** Whether it is of a class that can be moved. Never throws. */
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
