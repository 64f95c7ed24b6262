/** Results, items and progress values that are moved instead of copied. */

import type { TransferListItem } from 'node:worker_threads'
import { OptionTypeError } from '../base/errors.js'

// A registered symbol, because the task module may load another copy of this file.
const TRANSFERRED = Symbol.for('evenkeel.transferred')

/** A value that is moved, made by `transfer`. */
export interface Transferred<T> {
  readonly [TRANSFERRED]: true
  readonly value: T
  readonly list: readonly TransferListItem[]
}

/**
 * Marks a task's result, item or progress value so that the objects of `list` are moved to the caller's thread instead
 * of copied. The cost does not depend on their size. The worker cannot use them afterwards. Throws a TypeError with
 * code `EVENKEEL_INVALID_OPTION` when the list is not an array.
 */
export function transfer<T>(value: T, list: readonly TransferListItem[]): Transferred<T> {
  if (!Array.isArray(list)) throw new OptionTypeError('list', 'expected an array of transferable objects')
  return { [TRANSFERRED]: true, value, list }
}

export function isTransferred(value: unknown): value is Transferred<unknown> {
  return typeof value === 'object' && value !== null && (value as Transferred<unknown>)[TRANSFERRED] === true
}

/**
 * Throws a `DataCloneError` when the list has a buffer that was moved before. `postMessage` itself accepts a view on
 * such a buffer (Node 20); then the receiver cannot read the message, and all of it is lost.
 */
export function refuseDetached(list: readonly TransferListItem[] = []): void {
  for (const item of list) {
    if (item instanceof ArrayBuffer && isDetached(item)) {
      throw new DOMException('an ArrayBuffer of the transfer list was already moved elsewhere', 'DataCloneError')
    }
  }
}

/** Whether the buffer was moved. Node 21 and newer have `buffer.detached` for this. */
export function isDetached(buffer: ArrayBuffer): boolean {
  if (buffer.byteLength > 0) return false
  try {
    new Uint8Array(buffer)
    return false
  } catch {
    return true
  }
}
