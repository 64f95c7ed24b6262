import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { LoadMessage, LoadOrder } from './load-process.js'

const loadFile = fileURLToPath(new URL('./load-process.js', import.meta.url))

/**
 * Runs the load in a process of its own, so that the server's event loop does only the server's work. Resolves with the
 * figures; rejects when the generator failed or ended without them.
 */
export function generateLoad(
  order: LoadOrder,
  phase: (name: 'measuring' | 'measured') => void,
): Promise<Readonly<Record<string, number>>> {
  return new Promise((resolve, reject) => {
    // Without this process's own options, such as the one that lets it collect its heap.
    const child = fork(loadFile, [], { execArgv: [] })
    child.on('message', (message: LoadMessage) => {
      if (message.kind === 'figures') resolve(message.figures)
      else if (message.kind === 'failed') reject(new Error(message.message))
      else phase(message.kind)
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => reject(new Error(`the load generator ended (${signal ?? code})`)))
    child.send(order)
  })
}
