/**
 * Coverage of `src` and `workers` as one figure. Vitest's own provider sees the sources that tests import on the main
 * thread and nothing that runs in a worker thread or a child process, so those write Node's raw coverage of the
 * built files, which is mapped back to the sources and united with the rest: a line is covered when any of them ran it.
 * Threads that end by themselves, exit, run out of heap or are terminated in a busy loop all write theirs
 * (tried on Node 20.20); lost are processes killed by a signal and threads started with an `env` of their own.
 */

import v8 from '@vitest/coverage-v8'
import type { CoverageProviderModule } from 'vitest/node'
import { threadCoverageDir } from './locations.js'

const provider: CoverageProviderModule = {
  ...v8,
  startCoverage(options) {
    // Node reads the variable when a thread or a child starts, so setting it here spares the test process itself.
    process.env.NODE_V8_COVERAGE = threadCoverageDir
    return v8.startCoverage?.(options)
  },
  async getProvider() {
    // Loaded late: every test process loads this module, and only the reporting one needs the converters.
    const { uniteThreads } = await import('./report.js')
    return uniteThreads(await v8.getProvider())
  },
}

export default provider
