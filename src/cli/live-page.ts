/** `--dashboard`: the live page of a run's pool. Its code is loaded only when it is asked for. */

import { BatchUsageError } from '../batch/options/batch-errors.js'
import type { Dashboard } from '../dashboard/index.js'
import type { Dispatcher } from '../index.js'

/** Port 0 takes a free one. Throws `BatchUsageError` when the page cannot be served. */
export async function openLivePage(pool: Dispatcher, port: number, name: string): Promise<Dashboard> {
  const { dashboard } = await import('../dashboard/index.js')
  try {
    return await dashboard(pool, { port, name })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'EADDRINUSE' ? 'the port is in use' : message
    throw new BatchUsageError(`cannot serve the dashboard on port ${port}: ${reason}`)
  }
}
