import { parentPort } from 'node:worker_threads'
import { type TaskName, tasks } from '../tasks.js'

const port = parentPort as NonNullable<typeof parentPort>

port.on('message', async ([id, task, payload]: [number, TaskName, never]) => {
  let value: unknown = tasks[task](payload)
  // Awaiting a plain value would cost a microtask that a bare dispatcher need not pay.
  if (value instanceof Promise) value = await value
  port.postMessage([id, value])
})
