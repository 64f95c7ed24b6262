/** What a task threw, in the form that crosses the boundary. */

import { isCloneable } from '../src/protocol/clone-fault.js'
import { encodeError, type WireError } from '../src/protocol/error-transfer.js'
import { isNestedDeeperThan } from '../src/protocol/nesting.js'

/** Levels of a property that crosses; a deeper one is left out. The main thread's smaller stack reads some thousand. */
const MAX_LEVELS = 500

export function encodeThrown(thrown: unknown): WireError {
  return encodeError(thrown, (value) => !isNestedDeeperThan(MAX_LEVELS, value) && isCloneable(value))
}
