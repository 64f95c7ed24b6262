/** Errors that end a batch run. Errors of single records are counted and reported instead. */

import { EvenkeelError } from '../../base/errors.js'

/** An input that cannot be read to its end. */
export class BatchInputError extends Error {
  readonly code = 'EVENKEEL_BATCH_INPUT'
  readonly input: string

  constructor(message: string, input: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'BatchInputError'
    this.input = input
  }
}

/** The output, the errors file or the journal could not be written. */
export class BatchOutputError extends Error {
  readonly code = 'EVENKEEL_BATCH_OUTPUT'
  /** Code of the system error, such as `ENOSPC` or `EPIPE`. */
  readonly systemCode: string | undefined

  constructor(message: string, cause: unknown) {
    super(`${message}: ${(cause as Error).message}`, { cause })
    this.name = 'BatchOutputError'
    this.systemCode = (cause as NodeJS.ErrnoException).code
  }
}

/** The journal does not belong to this input, module or output, or another run holds it. */
export class JournalError extends EvenkeelError {
  constructor(message: string, cause?: unknown) {
    super('EVENKEEL_JOURNAL', message, cause === undefined ? {} : { cause })
    this.name = 'JournalError'
  }
}

/** The request cannot be carried out: a wrong combination of options, or an output that exists already. */
export class BatchUsageError extends Error {
  readonly code = 'EVENKEEL_BATCH_USAGE'

  constructor(message: string) {
    super(message)
    this.name = 'BatchUsageError'
  }
}
