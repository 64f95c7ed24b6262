/** The errors for a value that cannot be sent to the other thread, or not be read there. */

import { types } from 'node:util'
import { EvenkeelError } from '../base/errors.js'
import { findCloneFault, findTransferFault, reasonOf } from './clone-fault.js'
import { findEmptied } from './emptied-values.js'
import { encodeError, type WireError } from './error-transfer.js'
import type { ValueFault } from './value-walk.js'

export interface RefusedClone {
  /** The value's name at the start of the path. */
  readonly root: 'payload' | 'result' | 'progress' | 'item' | 'workerData'
  readonly value: unknown
  /** The error that the clone threw. */
  readonly thrown: unknown
  /** Name of the task whose value it is. */
  readonly task?: string
  /** The transfer list. */
  readonly transferred?: readonly unknown[]
}

/**
 * An `EVENKEEL_CLONE` error with the name `DataCloneError`. Its `path` is the place in the value or transfer list that
 * cannot be sent. Its `cause` is the error thrown by Node or by a getter of the value. Never throws.
 */
export function cloneRejection(refused: RefusedClone): EvenkeelError {
  const { root, value, thrown } = refused
  // For nesting V8 reports an exhausted stack. Any other RangeError is a getter's.
  if (thrown instanceof RangeError && /call stack/i.test(thrown.message)) {
    return newError(refused, root, `${root} is nested too deeply to be cloned`)
  }
  const { path, reason } = faultOf(refused)
  return newError(refused, path, `${path} cannot be ${verbOf(path)}: ${reason}${adviceOn(root, value)}`)
}

/** Throws that error when a part of the value would arrive empty or must be moved: see `findEmptied`. */
export function refuseEmptied(value: unknown, root: RefusedClone['root'], moved?: readonly unknown[], task?: string) {
  const fault = findEmptied(value, root, moved)
  if (fault === undefined) return
  const { path, reason } = fault
  throw newError({ task }, path, `${path} cannot be cloned: ${reason}`)
}

function newError(refused: Partial<RefusedClone>, path: string, message: string): EvenkeelError {
  const { task } = refused
  const cause = 'thrown' in refused ? { cause: refused.thrown } : {}
  return new EvenkeelError('EVENKEEL_CLONE', message, { path, ...cause, ...(task !== undefined && { task }) })
}

function faultOf({ root, value, thrown, transferred = [] }: RefusedClone): ValueFault {
  const reason = reasonOf(thrown)
  const fault = findTransferFault(transferred, reason) ?? findCloneFault(value, root, transferred)
  if (fault !== undefined) return fault
  // Node does not name the object. It is memory that belongs to Node, such as that of a pooled Buffer.
  if (transferred.length > 0 && /transfer/i.test(reason)) {
    return { path: transferred.length === 1 ? 'transfer[0]' : 'transfer', reason }
  }
  return { path: root, reason }
}

function verbOf(path: string): string {
  return path.startsWith('transfer') ? 'moved' : 'cloned'
}

/** Advice when a task that yields was called by `run`. */
function adviceOn(root: RefusedClone['root'], value: unknown): string {
  const yields = root === 'result' && types.isGeneratorObject(value)
  return yields ? '; a task that yields items is called by stream(), not by run()' : ''
}

/**
 * The error for a value that the other side could not read: nested too deeply for its stack, or too large. Looks like
 * the clone's own.
 */
export function unreadableFault(error: unknown, reader: 'worker' | 'caller'): DOMException {
  const why = error instanceof Error ? `: ${error.message}` : ''
  const where = reader === 'worker' ? 'the worker' : "the caller's thread"
  return new DOMException(`${where} could not read it${why}`, 'DataCloneError')
}

/** The same for the caller's thread, in the form in which a worker reports a value that it cannot send. */
export function unreadableWire(root: 'result' | 'item' | 'progress', error?: unknown): WireError {
  const thrown = unreadableFault(error, 'caller')
  return encodeError(cloneRejection({ root, value: undefined, thrown }), () => true)
}
