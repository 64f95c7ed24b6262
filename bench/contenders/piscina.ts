/**
 * Piscina with all threads started. `balancer: 'lag-aware'` gives it a load balancer that skips workers whose event
 * loop has been fully busy of late: the nearest thing to a load report that piscina's interface allows.
 */

import { fileURLToPath } from 'node:url'
import { FixedQueue, Piscina } from 'piscina'
import { type TaskName, tasks } from '../tasks.js'
import type { Contender, Settings } from './contender.js'
import { lagAwareBalancer } from './piscina-lag-aware.js'

const filename = fileURLToPath(new URL('../tasks.js', import.meta.url))

export function createPiscina(workers: number, settings: Settings): Contender {
  const { balancer, ...options } = settings
  const perWorker = typeof options.concurrentTasksPerWorker === 'number' ? options.concurrentTasksPerWorker : 1
  const pool: Piscina = new Piscina({
    taskQueue: new FixedQueue(),
    ...options,
    ...(balancer === 'lag-aware' ? { loadBalancer: lagAwareBalancer(() => pool, perWorker) } : {}),
    filename,
    minThreads: workers,
    maxThreads: workers,
  })
  // A pool without this listener turns an error between tasks into an uncaught exception of the measuring process.
  pool.on('error', () => {})
  // One options object per task name: piscina should not pay for an allocation that is ours.
  const byName = Object.fromEntries(Object.keys(tasks).map((name) => [name, { name }])) as Record<
    TaskName,
    { name: string }
  >
  return {
    run: (task, payload, transfer) =>
      pool.run(payload, transfer === undefined ? byName[task] : { name: task, transferList: [...transfer] }),
    close: () => pool.destroy(),
  }
}
