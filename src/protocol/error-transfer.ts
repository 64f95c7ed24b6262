/**
 * What a task throws, carried faithfully to the caller's thread. The structured clone alone does not do it: on
 * Node 20 an `Error` loses its name, code and `errors`, a `DOMException` arrives as `{}`, and one property
 * that cannot be cloned loses the whole error.
 *
 * The wire form is a flat list of nodes that name each other by index. So cycles (`error.self = error`) survive,
 * and a chain of causes of any length nests nothing: neither this code nor the clone recurses over it.
 */

import { ErrorEncoder, type WireError, type WireNode } from './error-encoder.js'
import { type ErrorConstructorOfBase, errorConstructor } from './thrown-value.js'

export type { WireError } from './error-encoder.js'

/**
 * Turns what a task threw into plain data. Never throws, never gives a blank message.
 *
 * Errors keep their nearest built-in constructor, name (a class that sets none gives its own), message, stack,
 * code, cause, `errors` and own enumerable properties; a property that cannot be cloned, or whose getter throws,
 * is dropped. Other values arrive as themselves; where they cannot be cloned, as an error that describes them.
 * At most a thousand errors and containers cross with one thrown value; a note stands for the rest, and ends a list that
 * was cut.
 * @param isCloneable whether the structured clone takes a value; asked only for objects that are no errors, so a
 *   plain error costs none. May throw, which counts as no.
 */
export function encodeError(thrown: unknown, isCloneable: (value: unknown) => boolean): WireError {
  return new ErrorEncoder(isCloneable).encode(thrown)
}

/** The thrown value again, as an instance of the real constructor where it was an error. Never throws; about 1 us. */
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

/** The errors get the stacks they had; collecting the decoder's own costs more than all the rest. */
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
  // Assigned, not defined: a new error has a hidden one already, and V8 assigns it several times faster.
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
      // Its code, like everything else it has, is among the entries.
      return new Base(undefined, node.message)
    default:
      return new Base(node.message)
  }
}

/** Defined, not assigned: the key may be `__proto__`, or one that the prototype makes read-only. */
function define(target: object, key: string, value: unknown, enumerable: boolean): void {
  Reflect.defineProperty(target, key, { value, enumerable, writable: true, configurable: true })
}
