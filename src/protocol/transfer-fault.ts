/** Which object of a transfer list cannot be moved. Node names none of them. */

import { types } from 'node:util'
import { MessagePort } from 'node:worker_threads'
import { describe, kindName, read } from './thrown-value.js'
import { isDetached } from './transfer.js'
import type { ValueFault } from './value-walk.js'

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
