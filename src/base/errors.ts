/**
 * All errors that evenkeel itself raises, each with a stable `code`. An error that a task throws keeps its own name,
 * code and properties.
 */

export type ErrorCode =
  | 'EVENKEEL_INVALID_OPTION'
  | 'EVENKEEL_MODULE_LOAD'
  | 'EVENKEEL_UNKNOWN_TASK'
  | 'EVENKEEL_QUEUE_FULL'
  | 'EVENKEEL_QUEUE_TIMEOUT'
  | 'EVENKEEL_TIMEOUT'
  | 'EVENKEEL_DEADLINE'
  | 'EVENKEEL_ABORTED'
  | 'EVENKEEL_CLONE'
  | 'EVENKEEL_WORKER_EXIT'
  | 'EVENKEEL_LOST_WITH_WORKER'
  | 'EVENKEEL_POISON'
  | 'EVENKEEL_CLOSED'
  | 'EVENKEEL_JOURNAL'
  | 'EVENKEEL_STRATEGY'

/** Data a caller may act on. Which fields are set depends on the code (see docs). */
export interface ErrorDetails {
  /** The underlying error or reason. */
  cause?: unknown
  /** Name of the task the error is about. */
  task?: string
  /** Exit code of the thread, for `EVENKEEL_WORKER_EXIT`. */
  exitCode?: number
  /** Slot of the worker the error is about. */
  slot?: number
  /** How many tasks the queue may hold, for `EVENKEEL_QUEUE_FULL`. */
  maxQueue?: number
  /** The limit that was passed, in milliseconds. */
  limitMs?: number
  /** How often the task was started. */
  attempts?: number
  /** The errors of the attempts before the last one, at most the latest ten. Only for tasks that were tried again. */
  earlierErrors?: readonly unknown[]
  /** The place of the value that cannot be cloned, such as `payload.callback`. */
  path?: string
}

/** Codes whose cause lies outside the task: the same call may succeed later. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'EVENKEEL_QUEUE_FULL',
  'EVENKEEL_QUEUE_TIMEOUT',
  'EVENKEEL_LOST_WITH_WORKER',
])

/** `error.name` of the codes for which the platform has a well-known name. */
const NAMES: Partial<Record<ErrorCode, string>> = {
  EVENKEEL_ABORTED: 'AbortError',
  EVENKEEL_CLONE: 'DataCloneError',
  EVENKEEL_TIMEOUT: 'TimeoutError',
  EVENKEEL_DEADLINE: 'TimeoutError',
  EVENKEEL_QUEUE_TIMEOUT: 'TimeoutError',
}

// A registered symbol, because a thread may have two copies of this class: the entry's, and that of a task's import.
const ERROR_MARK = Symbol.for('evenkeel.error')

/** Whether the object is the prototype of `EvenkeelError`, in this or another copy of the library. */
export function isEvenkeelPrototype(prototype: object): boolean {
  return Object.hasOwn(prototype, ERROR_MARK)
}

/** Base of all run-time errors of evenkeel. */
export class EvenkeelError extends Error {
  readonly code: ErrorCode
  /** True when the same call may succeed later: the task was not at fault. */
  readonly retryable: boolean
  declare readonly task?: string
  declare readonly exitCode?: number
  declare readonly slot?: number
  declare readonly maxQueue?: number
  declare readonly limitMs?: number
  declare readonly attempts?: number
  declare readonly earlierErrors?: readonly unknown[]
  declare readonly path?: string

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    const { cause, ...rest } = details
    super(message, 'cause' in details ? { cause } : undefined)
    this.name = NAMES[code] ?? 'EvenkeelError'
    this.code = code
    this.retryable = RETRYABLE.has(code)
    Object.assign(this, rest)
  }
}

Object.defineProperty(EvenkeelError.prototype, ERROR_MARK, { value: true })

/** An option or argument of the wrong type. */
export class OptionTypeError extends TypeError {
  readonly code: ErrorCode = 'EVENKEEL_INVALID_OPTION'
  readonly retryable = false
  /** The option's name, dotted where it is nested. */
  readonly option: string

  constructor(option: string, message: string) {
    super(`${option}: ${message}`)
    this.option = option
  }
}

/** An option or argument of the right type with an invalid value. */
export class OptionRangeError extends RangeError {
  readonly code: ErrorCode = 'EVENKEEL_INVALID_OPTION'
  readonly retryable = false
  /** The option's name, dotted where it is nested. */
  readonly option: string

  constructor(option: string, message: string) {
    super(`${option}: ${message}`)
    this.option = option
  }
}
