/** When a worker is to be replaced for what it has done. */

import type { PoolWorker } from './pool-worker.js'

export interface SpentOptions {
  readonly maxTasksPerWorker: number
  readonly maxHeapBytes: number
}

/**
 * Whether the worker has begun as many tasks as it may, or has grown too large. Begun, not finished: the last one may
 * run for long, or for ever. Reads shared memory.
 */
export function isSpent({ maxTasksPerWorker, maxHeapBytes }: SpentOptions, worker: PoolWorker): boolean {
  if (!worker.isReady) return false
  return worker.startedInLife >= maxTasksPerWorker || worker.lane!.row.heapUsedBytes > maxHeapBytes
}
