/**
 * Safe reads of a value that a task threw. It may be anything: a proxy whose traps throw, an object whose getters
 * throw, an error of another realm. Nothing here throws, and no user code runs except the value's getters and traps.
 */

import { inspect, types } from 'node:util'
import { EvenkeelError, isEvenkeelPrototype } from '../base/errors.js'

/** The error constructors that both threads have. An error is rebuilt with the nearest of them. */
export const ERROR_BASES = [
  'Error',
  'TypeError',
  'RangeError',
  'SyntaxError',
  'ReferenceError',
  'EvalError',
  'URIError',
  'AggregateError',
  'SuppressedError', // Node 24 and newer; elsewhere nothing can throw one
  'DOMException',
  'EvenkeelError',
] as const

export type ErrorBase = (typeof ERROR_BASES)[number]

export type ErrorConstructorOfBase = new (...args: unknown[]) => Error

/** Undefined when this version of Node does not have the constructor. */
export function errorConstructor(base: ErrorBase): ErrorConstructorOfBase | undefined {
  return constructors.get(base)
}

const constructors = new Map<ErrorBase, ErrorConstructorOfBase>()
const basesByPrototype = new Map<object, ErrorBase>()
for (const base of ERROR_BASES) {
  const found: unknown = base === 'EvenkeelError' ? EvenkeelError : Reflect.get(globalThis, base)
  if (typeof found !== 'function') continue
  constructors.set(base, found as ErrorConstructorOfBase)
  basesByPrototype.set(found.prototype, base)
}

/** The longest prototype chain that is followed. A proxy can have an endless one. */
const MAX_PROTOTYPES = 100

/** What `read` returns when the read threw. */
export const UNREADABLE: unique symbol = Symbol('unreadable')

export function read(target: object, key: string): unknown {
  try {
    return Reflect.get(target, key)
  } catch {
    return UNREADABLE
  }
}

/** The property if it is a string. Undefined for any other value, and when its getter throws. */
export function readString(target: object, key: string): string | undefined {
  const value = read(target, key)
  return typeof value === 'string' ? value : undefined
}

export function enumerableKeys(target: object): string[] {
  try {
    return Object.keys(target)
  } catch {
    return []
  }
}

/** The first keys of a container, without listing those of a long array. */
export function firstKeys(container: object, most: number): string[] {
  if (Array.isArray(container) && container.length > most) return Array.from({ length: most }, (_, index) => `${index}`)
  const keys = enumerableKeys(container)
  return keys.length > most ? keys.slice(0, most) : keys
}

/** Whether the object itself, not its prototype, has the key, and whether the key is enumerable. */
export function ownership(target: object, key: string): 'enumerable' | 'hidden' | 'none' {
  try {
    const descriptor = Reflect.getOwnPropertyDescriptor(target, key)
    if (descriptor === undefined) return 'none'
    return descriptor.enumerable ? 'enumerable' : 'hidden'
  } catch {
    return 'none'
  }
}

/**
 * The nearest built-in error constructor of the object, or undefined when it is not an error. Errors by prototype alone
 * (`util.inherits`, `Object.create(Error.prototype)`) and errors of another realm count.
 */
export function errorBase(value: object): ErrorBase | undefined {
  try {
    let prototype: object | null = value
    for (let step = 0; prototype !== null && step < MAX_PROTOTYPES; step++) {
      const base: ErrorBase | undefined = basesByPrototype.get(prototype)
      if (base !== undefined) return base
      if (isEvenkeelPrototype(prototype)) return 'EvenkeelError'
      prototype = Reflect.getPrototypeOf(prototype)
    }
    return types.isNativeError(value) ? foreignBase(value) : undefined
  } catch {
    return undefined
  }
}

/** Another realm has its own constructors, which are recognised by name. */
function foreignBase(error: Error): ErrorBase {
  let prototype = Reflect.getPrototypeOf(error)
  for (let step = 0; prototype !== null && step < MAX_PROTOTYPES; step++) {
    const name = className(prototype)
    const base = ERROR_BASES.find((candidate) => candidate === name)
    if (base !== undefined && constructors.has(base)) return base
    prototype = Reflect.getPrototypeOf(prototype)
  }
  return 'Error'
}

/** Name of the object's class, or undefined when it cannot be read. */
export function className(value: object): string | undefined {
  const made = read(value, 'constructor')
  if (typeof made !== 'function') return undefined
  return readString(made, 'name') || undefined
}

/** Its class, with an article: `a WeakMap`. */
export function kindName(object: object): string {
  if (types.isGeneratorObject(object)) return 'a generator'
  const name = className(object) ?? 'object'
  return `${/^[aeio]/i.test(name) ? 'an' : 'a'} ${name}`
}

/** Whether it is an array or a plain object, which can be encoded by its properties. */
export function isPlainContainer(value: object): boolean {
  try {
    if (types.isProxy(value)) return false
    if (Array.isArray(value)) return true
    const prototype = Reflect.getPrototypeOf(value)
    return prototype === null || prototype === Object.prototype
  } catch {
    return false
  }
}

/**
 * Whether the structured clone would keep the container as it is: it has no errors (which a clone damages), no
 * accessors
 * (which may give another value the next time), no functions and no symbols. Checks `maxObjects` objects, and as many
 * properties of each. The rest is trusted, so a large table costs little.
 */
export function scanContainer(container: object, maxObjects: number): { isPlainData: boolean; objects: number } {
  const seen = new Set<object>([container])
  for (const object of seen) {
    for (const key of firstKeys(object, maxObjects)) {
      const descriptor = Reflect.getOwnPropertyDescriptor(object, key)
      if (descriptor === undefined) continue // a hole of a long array
      const value: unknown = descriptor.value
      const isAccessor = descriptor.get !== undefined || descriptor.set !== undefined
      const isError = typeof value === 'object' && value !== null && errorBase(value) !== undefined
      if (isAccessor || isError || typeof value === 'function' || typeof value === 'symbol') {
        return { isPlainData: false, objects: seen.size }
      }
      if (typeof value === 'object' && value !== null && isPlainContainer(value)) seen.add(value)
      if (seen.size >= maxObjects) return { isPlainData: true, objects: seen.size }
    }
  }
  return { isPlainData: true, objects: seen.size }
}

/** Longest description of a value, in characters: enough to recognise it, short enough for a log line. */
const MAX_DESCRIPTION = 300
const MAX_DESCRIBED_KEYS = 1_000

/** Describes any value in one line. Never blank. Runs no getters and no `inspect.custom` of the value. */
export function describe(value: unknown): string {
  try {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      // `inspect` would format all of them.
      const { length } = enumerableKeys(value)
      if (length > MAX_DESCRIBED_KEYS) return `${className(value) ?? 'an object'} with ${length} properties`
    }
    const text = inspect(value, {
      depth: 0,
      customInspect: false,
      getters: false,
      maxArrayLength: 10,
      maxStringLength: 100,
      breakLength: Number.POSITIVE_INFINITY,
    })
    // Long arrays, stacks and names of symbols have line breaks in spite of breakLength.
    const line = text.replace(/[\r\n\u2028\u2029]\s*/g, ' ').trim()
    if (line !== '') return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION)}…` : line
  } catch {
    // A revoked proxy, or a value whose class name or string tag throws: falls through.
  }
  return typeof value === 'function' ? 'a function that cannot be shown' : `a value of type ${typeof value}`
}
