/** CPU and memory of the whole process: equal for all workers, so they feed overload and underload, never a worker's weight. */

import { defaultParallelism, memoryLimitBytes } from '../../base/parallelism.js'
import type { ProcessReading } from '../../load/pool-pressure.js'

/** Between two samples, ms. A sample reads /proc and costs some 0.1 ms off the main path. */
const SAMPLE_PERIOD_MS = 1_000

export class ProcessFigures {
  #reading: ProcessReading = { cpuShare: 0, memoryShare: 0 }
  #sampledAtMs = Number.NEGATIVE_INFINITY
  #sampling = false

  /** The last sample; takes the next in the background when that is due. */
  read(nowMs: number): ProcessReading {
    if (nowMs - this.#sampledAtMs >= SAMPLE_PERIOD_MS && !this.#sampling) {
      this.#sampledAtMs = nowMs
      this.#sampling = true
      void this.#sample()
    }
    return this.#reading
  }

  async #sample(): Promise<void> {
    try {
      const { default: pidusage } = await import('pidusage')
      const { cpu, memory } = await pidusage(process.pid)
      this.#reading = {
        cpuShare: cpu / 100 / defaultParallelism(),
        memoryShare: memory / memoryLimitBytes(),
      }
    } catch {
      // Without a reading (no /proc, no ps) the weights alone decide.
    } finally {
      this.#sampling = false
    }
  }
}
