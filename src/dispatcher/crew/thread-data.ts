/** What a new thread is told. */

import type { ThreadWorkerData } from '../../protocol/control.js'
import type { ResolvedOptions } from '../options/options.js'

export function threadDataOf(options: ResolvedOptions, slot: number): ThreadWorkerData {
  const { moduleUrl, ioWindow, capturesOutput, maxHeapBytes, workerData } = options
  const depth = options.depth + 1
  const reportsHeap = maxHeapBytes !== Number.POSITIVE_INFINITY
  return {
    'evenkeel:settings': { slot, moduleUrl, ioWindow, depth, capturesOutput, reportsHeap },
    user: workerData,
  }
}
