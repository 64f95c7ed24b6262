/**
 * The bare floor: what two threads and arrays can do when a dispatcher keeps no books. Arrays cross the boundary both
 * ways, once per microtask on this side and once per `setImmediate` pass on the other, into the lane with fewer
 * outstanding tasks. A task has no id: answers come in the order of their array. Only synchronous tasks; no errors,
 * no limits, no recovery. It is the yardstick of the throughput figures, not a usable pool.
 */

import { Worker } from 'node:worker_threads'
import type { TaskName } from '../tasks.js'
import type { Contender } from './contender.js'

type Settle = (value: unknown) => void

interface Lane {
  readonly thread: Worker
  outstanding: number
  /** One entry per posted array, oldest first: the worker answers them in this order. */
  readonly posted: Settle[][]
}

export function createFloor(workers: number): Contender {
  const lanes: Lane[] = Array.from({ length: workers }, () => {
    const thread = new Worker(new URL('./floor-worker.js', import.meta.url))
    const lane: Lane = { thread, outstanding: 0, posted: [] }
    thread.on('message', (answers: unknown[]) => {
      const settles = lane.posted.shift() as Settle[]
      lane.outstanding -= settles.length
      for (let at = 0; at < settles.length; at++) (settles[at] as Settle)(answers[at])
    })
    return lane
  })
  let names: TaskName[] = []
  let payloads: unknown[] = []
  let settles: Settle[] = []

  const flush = (): void => {
    let best = lanes[0] as Lane
    for (const lane of lanes) if (lane.outstanding < best.outstanding) best = lane
    best.outstanding += settles.length
    best.posted.push(settles)
    best.thread.postMessage([names, payloads])
    names = []
    payloads = []
    settles = []
  }

  return {
    run: (task, payload) =>
      new Promise((resolve) => {
        if (settles.length === 0) queueMicrotask(flush)
        names.push(task)
        payloads.push(payload)
        settles.push(resolve)
      }),
    close: async () => {
      await Promise.all(lanes.map((lane) => lane.thread.terminate()))
    },
  }
}
