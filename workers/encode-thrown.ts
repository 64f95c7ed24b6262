/** What a task threw, in the form that crosses the boundary. */

import { isCloneable } from '../src/protocol/clone-fault.js'
import { encodeError, type WireError } from '../src/protocol/error-transfer.js'

export function encodeThrown(thrown: unknown): WireError {
  return encodeError(thrown, isCloneable)
}
