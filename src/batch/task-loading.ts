/** Whether the task can be called at all: found out before a run opens or writes anything. */

import { EvenkeelError } from '../base/errors.js'
import { mapRecordUrl } from '../base/worker-urls.js'

/** What is asked: a dispatcher. */
export interface Loading {
  ready?(): Promise<void>
}

/** A record pool names what it loaded, which is evenkeel's own task; what follows is about the user's module. */
const OWN_LEAD = `${mapRecordUrl} could not be loaded: `

/** What is said of a module that could not be loaded, without the part about evenkeel's own task. */
export function loadFaultText(message: string): string {
  return message.startsWith(OWN_LEAD) ? message.slice(OWN_LEAD.length) : message
}

/**
 * Waits until a worker has loaded the module. Rejects with `EVENKEEL_MODULE_LOAD` when none can, because the module throws, or
 * has no task of that name.
 */
export async function loadTask(tasks: Loading): Promise<void> {
  try {
    await tasks.ready?.()
  } catch (error) {
    if (!(error instanceof EvenkeelError) || error.code !== 'EVENKEEL_MODULE_LOAD') throw error
    const message = `the module cannot be loaded: ${loadFaultText(error.message)}`
    throw new EvenkeelError('EVENKEEL_MODULE_LOAD', message, { cause: error.cause })
  }
}
