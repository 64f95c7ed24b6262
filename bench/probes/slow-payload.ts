/**
 * Payloads that take long to write and to read: blocks of tasks, several in flight, of all systems in turn within one
 * process. Time and processor time are those of the whole process, so the main thread's copying counts.
 */

import { seededRandom } from '../../src/base/random.js'
import type { Contender } from '../contenders/contender.js'
import type { Probe } from '../harness/sample.js'
import { median } from '../stats/quantiles.js'
import { alternately } from './alternately.js'
import { makePayload, type PayloadShape } from './payload-shapes.js'
import { processorUs } from './pool.js'

export interface SlowPayloadParameters {
  readonly shape: PayloadShape
  /** Both answer with the payload's length; only the kind differs. */
  readonly task: 'lengthOf' | 'lengthOfLater'
  readonly tasks: number
  readonly inFlight: number
  readonly blocks: number
  readonly warmUpBlocks: number
}

/** usPerTask and cpuUsPerTask: medians over the blocks of one process. */
export const probeSlowPayload: Probe = async ({ systems, parameters, seed }) => {
  const given = parameters as unknown as SlowPayloadParameters
  // No two tasks in flight share an object: that would be another question.
  const payloads = Array.from({ length: given.inFlight }, (_, caller) => makePayload(given.shape, caller))
  const lengths = payloads.map((payload) => (payload as { length: number }).length)

  const runBlock = async (pool: Contender): Promise<{ us: number; cpuUs: number }> => {
    // What another system left behind is not collected at this one's cost.
    globalThis.gc?.()
    let started = 0
    const call = async (caller: number): Promise<void> => {
      while (started < given.tasks) {
        started++
        const length = await pool.run(given.task, payloads[caller])
        if (length !== lengths[caller]) throw new Error(`the task read ${String(length)} of ${lengths[caller]}`)
      }
    }
    const cpuBefore = process.cpuUsage()
    const startMs = performance.now()
    await Promise.all(payloads.map((_, caller) => call(caller)))
    const tookMs = performance.now() - startMs
    return { us: (tookMs * 1_000) / given.tasks, cpuUs: processorUs(cpuBefore) / given.tasks }
  }

  const blocks = await alternately(systems, { ...given, tasksPerBlock: 1 }, seededRandom(seed), runBlock)
  return {
    systems: Object.fromEntries(
      Object.entries(blocks).map(([label, all]) => [
        label,
        {
          measures: {
            usPerTask: median(all.map(({ us }) => us)),
            cpuUsPerTask: median(all.map(({ cpuUs }) => cpuUs)),
          },
        },
      ]),
    ),
  }
}
