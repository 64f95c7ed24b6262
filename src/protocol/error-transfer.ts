/**
 * Carries what a task throws to the caller's thread. The structured clone alone is not enough: on Node 20 an `Error`
 * loses its name, code and `errors`, a `DOMException` arrives as `{}`, and one property that cannot be cloned loses the
 * whole error.
 *
 * The wire form is a flat list of nodes that refer to each other by index. So cycles (`error.self = error`) survive,
 * and neither this code nor the clone recurses over a long chain of causes.
 */

import { ErrorEncoder, type WireError, type WireNode } from './error-encoder.js'
import { type ErrorConstructorOfBase, errorConstructor } from './thrown-value.js'

export type { WireError } from './error-encoder.js'

/**
 * Turns a thrown value into plain data. Never throws. The message is never blank.
 *
 * Errors keep their nearest built-in constructor, name (a class that sets none gives its own), message, stack, code,
 * cause, `errors` and own enumerable properties. A property that cannot be cloned, or whose getter throws, is dropped.
 * Other values arrive as they are; one that cannot be cloned arrives as an error that describes it. At most a thousand
 * errors and containers are sent with one thrown value; a note replaces the rest, and ends a list that was cut.
 * @param isCloneable whether the structured clone accepts a value; called only for objects that are not errors; if it
 *   throws, that counts as no
 */
export function encodeError(thrown: unknown, isCloneable: (value: unknown) => boolean): WireError {
  return new ErrorEncoder(isCloneable).encode(thrown)
}

/** Rebuilds the thrown value; an error becomes an instance of the real constructor. Never throws. About 1 µs. */
export function decodeError(wire: WireError): unknown {
  const objects = withoutStackTraces(() => wire.nodes.map(newObject))
  for (const [index, node] of wire.nodes.entries()) {
    const target = objects[index]!
    for (const { key, value, node: reference, hidden } of node.entries) {
      define(target, key, reference === undefined ? value : objects[reference], hidden !== true)
    }
  }
  return wire.root.node === undefined ? wire.root.value : objects[wire.root.node]
}

/** The errors get their original stacks. Collecting the decoder's stack would cost more than everything else. */
function withoutStackTraces<T>(create: () => T): T {
  const { stackTraceLimit } = Error
  if (!Reflect.set(Error, 'stackTraceLimit', 0)) return create() // frozen by the application
  try {
    return create()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function newObject(node: WireNode): object {
  if (node.base === 'object') return {}
  if (node.base === 'array') return new Array(node.length)
  const error = newError(node, errorConstructor(node.base) ?? (Error as ErrorConstructorOfBase))
  if (node.name !== undefined && node.base !== 'DOMException') {
    define(error, 'name', node.name, node.isNameShown === true)
  }
  // Assigned, not defined: a new error has a hidden `stack` already, and V8 assigns several times faster.
  if (!Reflect.set(error, 'stack', node.stack)) define(error, 'stack', node.stack, false)
  return error
}

function newError(node: WireNode, Base: ErrorConstructorOfBase): Error {
  switch (node.base) {
    case 'AggregateError':
      return new Base([], node.message)
    case 'SuppressedError':
      return new Base(undefined, undefined, node.message)
    case 'DOMException':
      return new Base(node.message, node.name ?? 'Error')
    case 'EvenkeelError':
      // Its code is among the entries, like its other properties.
      return new Base(undefined, node.message)
    default:
      return new Base(node.message)
  }
}

/** Defined, not assigned: the key may be `__proto__`, or one that the prototype makes read-only. */
function define(target: object, key: string, value: unknown, enumerable: boolean): void {
  Reflect.defineProperty(target, key, { value, enumerable, writable: true, configurable: true })
}
