/**
 * A fixed loop on every processor at once, timed between measurements. Its wall time says how fast the machine is just
 * now, and wall time against processor time says whether somebody else is using it.
 */

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

/** One reading of the loop. */
export interface CalibrationReading {
  /** Mean wall time of the loop over the processors, ms. */
  readonly wallMs: number
  /** Processor time that the loops got, as a share of their wall time: 1 on a machine of one's own. */
  readonly processorShare: number
}

/** More threads would load a large machine without telling more. */
const maxThreads = 8

export class Calibration {
  readonly #threads: Worker[]

  constructor(threads = Math.min(availableParallelism(), maxThreads)) {
    const file = new URL('./calibration-thread.js', import.meta.url)
    this.#threads = Array.from({ length: threads }, () => new Worker(file))
    for (const thread of this.#threads) thread.unref()
  }

  /** Runs the loop once on every thread together; about 25 ms. */
  async read(): Promise<CalibrationReading> {
    const before = process.cpuUsage()
    const walls = await Promise.all(
      this.#threads.map(
        (thread) =>
          new Promise<number>((resolve) => {
            thread.once('message', resolve)
            thread.postMessage('spin')
          }),
      ),
    )
    const used = process.cpuUsage(before)
    const wallMs = walls.reduce((sum, wall) => sum + wall, 0)
    return {
      wallMs: wallMs / walls.length,
      processorShare: Math.min(1, (used.user + used.system) / 1_000 / wallMs),
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()))
  }
}
