/** Argument checks. A wrong type is an OptionTypeError, a wrong value an OptionRangeError; both name the option. */

import { inspect } from 'node:util'
import { OptionRangeError, OptionTypeError } from './errors.js'
import { adviceOnName } from './nearest-name.js'

function shown(value: unknown): string {
  return inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 60 })
}

export function checkNumber(option: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number') throw new OptionTypeError(option, `expected a number, got ${shown(value)}`)
  if (!(value >= min && value <= max)) {
    throw new OptionRangeError(option, `expected a number from ${min} to ${max}, got ${shown(value)}`)
  }
  return value
}

export function checkInteger(option: string, value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): number {
  if (typeof value !== 'number') throw new OptionTypeError(option, `expected an integer, got ${shown(value)}`)
  if (!Number.isInteger(value) || value < min || value > max) {
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
    throw new OptionRangeError(option, `expected an integer ${range}, got ${shown(value)}`)
  }
  return value
}

export function checkBoolean(option: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new OptionTypeError(option, `expected true or false, got ${shown(value)}`)
  return value
}

export function checkString(option: string, value: unknown): string {
  if (typeof value !== 'string') throw new OptionTypeError(option, `expected a string, got ${shown(value)}`)
  return value
}

export function checkFunction<T extends (...args: never[]) => unknown>(option: string, value: unknown): T {
  if (typeof value !== 'function') throw new OptionTypeError(option, `expected a function, got ${shown(value)}`)
  return value as T
}

export function checkOneOf<T extends string>(option: string, value: unknown, allowed: readonly T[]): T {
  if (typeof value !== 'string') throw new OptionTypeError(option, `expected a string, got ${shown(value)}`)
  if (!allowed.includes(value as T)) {
    throw new OptionRangeError(option, `expected one of ${allowed.join(', ')}, got ${shown(value)}`)
  }
  return value as T
}

/** A plain or null-prototype object; arrays, functions, `null` and primitives are refused. */
export function checkObject(option: string, value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new OptionTypeError(option, `expected an object, got ${shown(value)}`)
  }
  return value as Record<string, unknown>
}

/** Refuses a key that is not in `known`, so a misspelt option is never ignored. */
export function checkKey(option: string, key: string, known: readonly string[]): void {
  if (known.includes(key)) return
  const name = option === '' ? key : `${option}.${key}`
  throw new OptionTypeError(name, `unknown option; ${adviceOnName(key, known, 'known are')}`)
}

/**
 * Reads options now, for a call that cannot throw yet. The returned function gives the value, or throws what reading
 * threw.
 */
export function readNow<T>(read: () => T): () => T {
  try {
    const value = read()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}

/**
 * A copy of an options object: its own properties, each read once, in an object without a prototype. So neither later
 * changes by the caller nor properties of `Object.prototype` set an option. A value of `undefined` counts as not given.
 *
 * @param option name for errors; empty for the options of a call
 */
export function ownOptions<Key extends string>(
  option: string,
  value: unknown,
  known: readonly Key[],
): { readonly [key in Key]?: unknown } {
  const given = checkObject(option === '' ? 'options' : option, value)
  const own: Record<string, unknown> = Object.create(null)
  for (const key of Object.keys(given)) {
    checkKey(option, key, known)
    const item = given[key]
    if (item !== undefined) own[key] = item
  }
  return own as { readonly [key in Key]?: unknown }
}
