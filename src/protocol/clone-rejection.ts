/** What a task rejects with when something of it cannot be sent to the other thread. */

import { types } from 'node:util'
import { EvenkeelError } from '../base/errors.js'
import { findCloneFault, findTransferFault, reasonOf } from './clone-fault.js'
import { findEmptied } from './emptied-values.js'
import { encodeError, type WireError } from './error-transfer.js'
import type { ValueFault } from './value-walk.js'

export interface RefusedClone {
  /** What the value is called at the start of the path. */
  readonly root: 'payload' | 'result' | 'progress' | 'item' | 'workerData'
  readonly value: unknown
  /** What the clone threw. */
  readonly thrown: unknown
  /** Name of the task whose value it is. */
  readonly task?: string
  /** The transfer list. */
  readonly transferred?: readonly unknown[]
}

/**
 * An `EVENKEEL_CLONE` error, name `DataCloneError`, whose `path` names what cannot be sent: a place in the value, or in
 * the transfer list. Its `cause` is what was thrown: by Node, or by a getter of the value. Never throws.
 */
export function cloneRejection(refused: RefusedClone): EvenkeelError {
  const { root, value, thrown } = refused
  // V8 reports it as an exhausted stack; any other RangeError is a getter's own.
  if (thrown instanceof RangeError && /call stack/i.test(thrown.message)) {
    return newError(refused, root, `${root} is nested too deeply to be cloned`)
  }
  const { path, reason } = faultOf(refused)
  return newError(refused, path, `${path} cannot be ${verbOf(path)}: ${reason}${adviceOn(root, value)}`)
}

/** Throws that error when the value holds something that would arrive as nothing, or must be moved: see `findEmptied`. */
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
  // Node does not name the object; it is memory that belongs to Node, such as that of a pooled Buffer.
  if (transferred.length > 0 && /transfer/i.test(reason)) {
    return { path: transferred.length === 1 ? 'transfer[0]' : 'transfer', reason }
  }
  return { path: root, reason }
}

function verbOf(path: string): string {
  return path.startsWith('transfer') ? 'moved' : 'cloned'
}

/** A task that yields was called as one that returns. */
function adviceOn(root: RefusedClone['root'], value: unknown): string {
  const yields = root === 'result' && types.isGeneratorObject(value)
  return yields ? '; a task that yields items is called by stream(), not by run()' : ''
}

/** A value that was sent and could not be read on the other side: nested too deeply for its stack, or too large for its memory. */

/** As the clone's own refusals look, so that both become the same error. */
export function unreadableFault(error: unknown, reader: 'worker' | 'caller'): DOMException {
  const why = error instanceof Error ? `: ${error.message}` : ''
  const where = reader === 'worker' ? 'the worker' : "the caller's thread"
  return new DOMException(`${where} could not read it${why}`, 'DataCloneError')
}

/** What the caller's thread could not read, in the form in which a worker tells of a value that it could not send. */
export function unreadableWire(root: 'result' | 'item' | 'progress', error?: unknown): WireError {
  const thrown = unreadableFault(error, 'caller')
  return encodeError(cloneRejection({ root, value: undefined, thrown }), () => true)
}
