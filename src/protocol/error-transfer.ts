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
 * At most a thousand errors and containers cross with one thrown value; a note stands for the rest.
 * @param isCloneable whether the structured clone takes a value; asked only for objects that are no errors, so a
 *   plain error costs none. May throw, which counts as no.
 */
export function encodeError(thrown: unknown, isCloneable: (value: unknown) => boolean): WireError {
  return new ErrorEncoder(isCloneable).encode(thrown)
}

/** The thrown value again, as an instance of the real constructor where it was an error. Never throws. */
export function decodeError(wire: WireError): unknown {
  const objects = wire.nodes.map(emptyObject)
  for (const [index, node] of wire.nodes.entries()) {
    const target = objects[index]!
    for (const { key, value, node: reference, hidden } of node.entries) {
      // Defined, not assigned: the key may be `__proto__`, or one that the prototype makes read-only.
      Reflect.defineProperty(target, key, {
        value: reference === undefined ? value : objects[reference],
        enumerable: hidden !== true,
        writable: true,
        configurable: true,
      })
    }
  }
  return wire.root.node === undefined ? wire.root.value : objects[wire.root.node]
}

function emptyObject(node: WireNode): object {
  if (node.base === 'object') return {}
  if (node.base === 'array') return new Array(node.length)
  const Base = errorConstructor(node.base) ?? (Error as ErrorConstructorOfBase)
  switch (node.base) {
    case 'AggregateError':
      return new Base([], node.message)
    case 'SuppressedError':
      return new Base(undefined, undefined, node.message)
    case 'DOMException':
      return new Base(node.message, node.name)
    case 'EvenkeelError':
      // Its code, like everything else it has, is among the entries.
      return new Base(undefined, node.message)
    default:
      return new Base(node.message)
  }
}
