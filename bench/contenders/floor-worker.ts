import { parentPort } from 'node:worker_threads'
import { type TaskName, tasks } from '../tasks.js'

const port = parentPort as NonNullable<typeof parentPort>

let inbox: [TaskName[], unknown[]][] = []

function drain(): void {
  const batches = inbox
  inbox = []
  for (const [names, payloads] of batches) {
    const answers: unknown[] = new Array(names.length)
    for (let at = 0; at < names.length; at++) answers[at] = tasks[names[at] as TaskName](payloads[at] as never)
    port.postMessage(answers)
  }
}

port.on('message', (batch: [TaskName[], unknown[]]) => {
  inbox.push(batch)
  if (inbox.length === 1) setImmediate(drain)
})
