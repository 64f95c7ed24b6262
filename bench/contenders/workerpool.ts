/** Workerpool on threads, all started at once: one task per worker, the rest in one central queue. */

import { fileURLToPath } from 'node:url'
import workerpool from 'workerpool'
import type { Contender, Settings } from './contender.js'

const workerFile = fileURLToPath(new URL('./workerpool-worker.js', import.meta.url))

export function createWorkerpool(workers: number, settings: Settings): Contender {
  const pool = workerpool.pool(workerFile, {
    ...settings,
    workerType: 'thread',
    minWorkers: workers,
    maxWorkers: workers,
  })
  return {
    run: (task, payload, transfer) =>
      Promise.resolve(pool.exec(task, [payload], transfer === undefined ? {} : { transfer: [...transfer] })),
    close: async () => {
      await pool.terminate(true)
    },
  }
}
