/** What a task rejects with when its payload or result cannot be sent. */

import { cloneError, type RefusedClone } from './clone-fault.js'

/**
 * A `DataCloneError` becomes an `EVENKEEL_CLONE` error that names the place; a value nested too deeply a RangeError
 * with the same code; what a getter of the value threw is passed on as it is.
 */
export function cloneRejection(refused: RefusedClone): unknown {
  const { thrown, root } = refused
  const name = (thrown as { name?: unknown } | null | undefined)?.name
  if (name === 'DataCloneError') return cloneError(refused)
  // V8 reports it as an exhausted stack; any other RangeError is a getter's own.
  if (!(thrown instanceof RangeError && /call stack/i.test(thrown.message))) return thrown
  const error = new RangeError(`${root} is nested too deeply to be cloned`, { cause: thrown })
  return Object.assign(error, { code: 'EVENKEEL_CLONE', retryable: false, path: root, task: refused.task })
}
