/**
 * Where a payload or a result holds what the structured clone refuses. The clone itself says only what it refused,
 * not where; this looks again, after the refusal, and names the place.
 */

import { types } from 'node:util'
import { MessagePort } from 'node:worker_threads'
import { emptiedBy, findEmptied, insteadOf, PORT_REASON } from './emptied-values.js'
import { describe, errorBase, kindName, read } from './thrown-value.js'
import { isDetached } from './transfer.js'
import { isMovable } from './transfer-fault.js'
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
