/**
 * Sends what the thread prints to the dispatcher instead of to Node's streams, with the task that printed it. It
 * arrives before that task's answer, because both travel over the same port.
 */

import type { AsyncLocalStorage } from 'node:async_hooks'
import { StringDecoder } from 'node:string_decoder'
import type { OutputStream, WorkerControl } from '../src/protocol/control.js'
import type { Owner } from './last-words.js'

type Done = (error?: Error | null) => void

export interface CapturedStreams {
  readonly stdout: Pick<NodeJS.WriteStream, 'write'>
  readonly stderr: Pick<NodeJS.WriteStream, 'write'>
}

/** From now on writes to the streams do not reach them. */
export function captureOutput(
  streams: CapturedStreams,
  owner: AsyncLocalStorage<Owner>,
  say: (message: WorkerControl) => void,
): void {
  for (const stream of ['stdout', 'stderr'] as const) streams[stream].write = writerOf(stream, owner, say)
}

function writerOf(stream: OutputStream, owner: AsyncLocalStorage<Owner>, say: (message: WorkerControl) => void) {
  // Keeps the bytes of a character that a chunk cut in two.
  const decoder = new StringDecoder('utf8')
  return (chunk: string | Uint8Array, encodingOrDone?: BufferEncoding | Done, done?: Done): boolean => {
    const encoding = typeof encodingOrDone === 'string' ? encodingOrDone : 'utf8'
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk)
    const text = decoder.write(bytes)
    const context = owner.getStore()
    if (text !== '') say({ type: 'output', stream, key: context?.running === true ? context.key : -1, text })
    const told = typeof encodingOrDone === 'function' ? encodingOrDone : done
    if (told !== undefined) process.nextTick(told)
    return true
  }
}
