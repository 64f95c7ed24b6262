/**
 * Poolifier with a fixed pool. `strategy` is one of its seven. Weights are given explicitly: where the system reports
 * no processor speed its own default runs a busy loop on the main thread instead.
 */

import { fileURLToPath } from 'node:url'
import { FixedThreadPool, WorkerChoiceStrategies, type WorkerChoiceStrategy } from 'poolifier'
import type { Contender, Settings } from './contender.js'

const workerFile = fileURLToPath(new URL('./poolifier-worker.js', import.meta.url))

export const poolifierStrategies = Object.keys(WorkerChoiceStrategies) as WorkerChoiceStrategy[]

export function createPoolifier(workers: number, settings: Settings): Contender {
  const { strategy = 'LEAST_USED', ...options } = settings
  const weights = Object.fromEntries(Array.from({ length: workers }, (_, index) => [index, 100]))
  const pool = new FixedThreadPool<unknown, unknown>(workers, workerFile, {
    ...options,
    workerChoiceStrategy: strategy as WorkerChoiceStrategy,
    workerChoiceStrategyOptions: { weights },
    errorHandler: () => {},
  })
  // Without a listener an error in a worker is thrown in the host.
  pool.emitter?.on('error', () => {})
  return {
    run: (task, payload, transfer) => pool.execute(payload, task, undefined, transfer),
    close: () => pool.destroy(),
  }
}
