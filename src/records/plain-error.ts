/**
 * What a task threw, as plain data that JSON takes: for the files and messages of a batch run. The same on both sides
 * of the thread boundary, so that a record fails with the same words whichever way it travelled.
 */

import { inspect, types } from 'node:util'
import { EvenkeelError } from '../base/errors.js'

/** Why a record failed. All texts are bounded; see `plainError`. */
export interface RecordError {
  readonly name: string
  readonly message: string
  readonly code?: string | number
  /** False: trying again cannot help. Otherwise missing. */
  readonly retryable?: boolean
  readonly stack?: string
  readonly cause?: RecordError
  /** The errors inside an `AggregateError` or a similar error. */
  readonly errors?: readonly RecordError[]
  /** Errors of the earlier tries, oldest first. */
  readonly earlier?: readonly RecordError[]
}

/** Causes below causes and errors inside errors: deeper than any that people wrote on purpose. */
const MAX_DEPTH = 10

/** The most errors in one failure. */
const MAX_ERRORS = 50

/** Characters of one message, of the first lines of a stack (which repeat the message), and of its frames. */
const MAX_MESSAGE_CHARS = 8_000
const MAX_HEAD_CHARS = 500
const MAX_FRAMES_CHARS = 4_000

/** The most characters in one failure. Texts after them are cut to one line each. */
const MAX_CHARS = 32_000
const MAX_LATE_CHARS = 100

const MAX_CODE_CHARS = 200

/** Names of the built-in prototypes. A class that sets no name of its own inherits one of them. */
const INHERITED_NAMES: ReadonlySet<string> = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'SyntaxError',
  'ReferenceError',
  'EvalError',
  'URIError',
  'AggregateError',
])

/**
 * Any thrown value as plain data. Never throws, whatever its getters do, and never gives a blank message. Causes and
 * `errors` are followed 10 deep, to 50 errors in all; texts are cut at 8,000 characters for a message, 4,500 for a
 * stack, and 32,000 for all of them together. A note stands where something was left out.
 */
export function plainError(thrown: unknown): RecordError {
  try {
    return new Teller().tell(thrown, true)
  } catch {
    return note('the task threw a value that cannot be read')
  }
}

/** A failure in one line: without stack, causes and errors. */
export function briefError({ name, message, code }: RecordError): RecordError {
  return { name, message: cut(message, MAX_HEAD_CHARS), ...(code === undefined ? {} : { code }) }
}

/** About how many characters a failure holds. */
export function errorChars({ name, message, stack = '', cause, errors = [], earlier = [] }: RecordError): number {
  let chars = name.length + message.length + stack.length
  for (const error of [...(cause === undefined ? [] : [cause]), ...errors, ...earlier]) chars += errorChars(error)
  return chars
}

class Teller {
  #errorsLeft = MAX_ERRORS
  #charsLeft = MAX_CHARS
  /** The path from the thrown value to the current one. A value that appears on it again is a circle. */
  readonly #above: unknown[] = []

  tell(value: unknown, isThrown: boolean): RecordError {
    this.#errorsLeft--
    if (!isErrorLike(value)) {
      const code = typeof value === 'object' && value !== null ? codeOf(value) : undefined
      const message = this.#text(isThrown ? thrownText(value) : shownValue(value), MAX_MESSAGE_CHARS)
      return { name: 'Error', message, ...(code === undefined ? {} : { code }), ...lasting(value) }
    }
    const name = nameOf(value)
    const code = codeOf(value)
    const message = this.#text(messageOf(value, name, code), MAX_MESSAGE_CHARS)
    const stack = this.#stackOf(value)
    this.#above.push(value)
    const told = {
      name,
      message,
      ...(code === undefined ? {} : { code }),
      ...lasting(value),
      ...(stack === undefined ? {} : { stack }),
      ...this.#causeOf(value),
      ...this.#errorsOf(value),
    }
    this.#above.pop()
    return told
  }

  #causeOf(error: object): { cause?: RecordError } {
    const cause = read(error, 'cause')
    return cause === undefined ? {} : { cause: this.#below(cause) }
  }

  #errorsOf(error: object): { errors?: RecordError[] } {
    const list = errorList(error)
    if (list === undefined) return {}
    const errors: RecordError[] = []
    for (let index = 0; index < list.length; index++) {
      if (this.#errorsLeft <= 1) {
        errors.push(note(`left out: ${list.length - index} more errors`))
        break
      }
      errors.push(this.#below(read(list, String(index))))
    }
    return { errors }
  }

  #below(value: unknown): RecordError {
    if (this.#above.includes(value)) return note('left out: an error that stands above, in a circle')
    if (this.#above.length >= MAX_DEPTH || this.#errorsLeft <= 0) return note('left out: there are too many errors')
    return this.tell(value, false)
  }

  #stackOf(error: object): string | undefined {
    const stack = read(error, 'stack')
    if (typeof stack !== 'string' || stack === '') return undefined
    const at = stack.indexOf('\n    at ')
    const head = at < 0 ? stack : stack.slice(0, at)
    const frames = at < 0 ? '' : stack.slice(at)
    return this.#text(cut(head, MAX_HEAD_CHARS) + cut(frames, MAX_FRAMES_CHARS), MAX_HEAD_CHARS + MAX_FRAMES_CHARS)
  }

  #text(text: string, most: number): string {
    const kept = cut(text, this.#charsLeft > 0 ? most : MAX_LATE_CHARS)
    this.#charsLeft -= kept.length
    return kept
  }
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text
  // Not within a surrogate pair; and a copy, so that the whole text can be collected.
  const end = /[\ud800-\udbff]/.test(text[most - 1]!) ? most - 1 : most
  return `${Buffer.from(text.slice(0, end)).toString()}… (${text.length - end} more characters)`
}

function note(message: string): RecordError {
  return { name: 'Error', message }
}

function read(target: object, key: string): unknown {
  try {
    return Reflect.get(target, key)
  } catch {
    return undefined
  }
}

/** An error, also one of another realm; or an object that has a message, as rejections of some libraries are. */
function isErrorLike(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  try {
    return value instanceof Error || types.isNativeError(value) || typeof Reflect.get(value, 'message') === 'string'
  } catch {
    return false
  }
}

function nameOf(error: object): string {
  const given = read(error, 'name')
  const name = typeof given === 'string' && given.trim() !== '' ? cut(given, MAX_CODE_CHARS) : 'Error'
  if (!INHERITED_NAMES.has(name) || hasOwn(error, 'name')) return name
  const made = read(error, 'constructor')
  const className = typeof made === 'function' ? read(made, 'name') : undefined
  const isOwn = typeof className === 'string' && className !== '' && className !== 'Object'
  return isOwn ? cut(className, MAX_CODE_CHARS) : name
}

function messageOf(error: object, name: string, code: string | number | undefined): string {
  const message = read(error, 'message')
  if (typeof message === 'string' && message.trim() !== '') return message
  if (message !== undefined && message !== null && typeof message !== 'string') return shownValue(message)
  return code === undefined ? `${name} without a message` : `${name} [${code}] without a message`
}

function codeOf(error: object): string | number | undefined {
  const code = read(error, 'code')
  if (typeof code === 'string') return cut(code, MAX_CODE_CHARS)
  return typeof code === 'number' && Number.isFinite(code) ? code : undefined
}

function lasting(value: unknown): { retryable?: false } {
  // `retryable` of evenkeel's own errors is about another call, not about another try of a record.
  if (value instanceof EvenkeelError) return {}
  const isLasting = typeof value === 'object' && value !== null && read(value, 'retryable') === false
  return isLasting ? { retryable: false } : {}
}

/** The errors inside an aggregate or a suppressing error. */
function errorList(error: object): readonly unknown[] | undefined {
  const errors = read(error, 'errors')
  if (Array.isArray(errors)) return errors
  if (!hasOwn(error, 'suppressed')) return undefined
  return [read(error, 'error'), read(error, 'suppressed')]
}

function hasOwn(target: object, key: string): boolean {
  try {
    return Object.hasOwn(target, key)
  } catch {
    return false
  }
}

/** Never throws, whatever the value does when it is turned into text. */
export function thrownText(thrown: unknown): string {
  return `the task threw ${thrown === null ? 'null' : typeof thrown}: ${shownValue(thrown)}`
}

/** Enough of an object to recognise it. */
const SHOWN = {
  depth: 2,
  maxArrayLength: 20,
  maxStringLength: 1_000,
  breakLength: Number.POSITIVE_INFINITY,
  // The value's own code could do anything.
  customInspect: false,
  getters: false,
} as const

/** Objects with more properties than this are only counted: all of them would be formatted. */
const MAX_SHOWN_KEYS = 1_000

/** The value as text. Runs no code of the value's, except the traps of a proxy. Never throws. */
function shownValue(value: unknown): string {
  try {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return String(value)
    const isLarge = !Array.isArray(value) && Object.keys(value).length > MAX_SHOWN_KEYS
    return isLarge ? `an object with ${Object.keys(value).length} properties` : inspect(value, SHOWN)
  } catch {
    return 'a value without text'
  }
}
