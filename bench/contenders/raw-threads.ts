/**
 * Bare `worker_threads` with one message per task and the least a dispatcher needs: an id, a map of promises and the
 * worker with fewer outstanding tasks. No errors, no limits, no recovery.
 */

import { Worker } from 'node:worker_threads'
import type { Contender } from './contender.js'

export function createRawThreads(workers: number): Contender {
  const waiting = new Map<number, (value: unknown) => void>()
  let lastId = 0
  const lanes = Array.from({ length: workers }, () => {
    const lane = { thread: new Worker(new URL('./raw-worker.js', import.meta.url)), outstanding: 0 }
    lane.thread.on('message', ([id, value]: [number, unknown]) => {
      lane.outstanding--
      const settle = waiting.get(id) as (value: unknown) => void
      waiting.delete(id)
      settle(value)
    })
    return lane
  })
  return {
    run: (task, payload, transfer) =>
      new Promise((resolve) => {
        let best = lanes[0] as (typeof lanes)[number]
        for (const lane of lanes) if (lane.outstanding < best.outstanding) best = lane
        const id = ++lastId
        waiting.set(id, resolve)
        best.outstanding++
        best.thread.postMessage([id, task, payload], transfer as ArrayBuffer[] | undefined)
      }),
    close: async () => {
      await Promise.all(lanes.map((lane) => lane.thread.terminate()))
    },
  }
}
