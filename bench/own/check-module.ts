/** Whether the user's module can be used at all, asked before anything is measured. */

import { Dispatcher, EvenkeelError } from '../../src/index.js'
import { SampleFileError } from './samples.js'

/**
 * Runs the task once. Throws `SampleFileError` when the module cannot be loaded or has no such task. Whatever else goes
 * wrong with the sample is left to the measurement, which counts it.
 */
export async function checkModule(moduleUrl: string, task: string, sample: unknown, timeoutMs: number): Promise<void> {
  const pool = new Dispatcher({ module: new URL(moduleUrl), workers: 1 })
  try {
    await pool.run(task, sample, { runTimeoutMs: timeoutMs })
  } catch (error) {
    const isUnusable =
      error instanceof EvenkeelError && ['EVENKEEL_MODULE_LOAD', 'EVENKEEL_UNKNOWN_TASK'].includes(error.code)
    if (isUnusable) throw new SampleFileError(error.message.split('\n', 1)[0])
  } finally {
    await pool.close({ force: true })
  }
}
