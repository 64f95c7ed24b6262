/** A value that was sent and could not be read on the other side: nested too deeply for its stack, or too large for its memory. */

import { cloneRejection } from './clone-rejection.js'
import { encodeError, type WireError } from './error-transfer.js'

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
