/** A value that was sent and could not be read on the other side: nested too deeply for its stack, or too large for its memory. */

/** As the clone's own refusals look, so that both become the same error. */
export function unreadableFault(error: unknown, reader: 'worker' | 'caller'): DOMException {
  const why = error instanceof Error ? `: ${error.message}` : ''
  const where = reader === 'worker' ? 'the worker' : "the caller's thread"
  return new DOMException(`${where} could not read it${why}`, 'DataCloneError')
}
