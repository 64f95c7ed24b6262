/** What a worker says beside its answers. */

import type { Lane } from '../engine/lane.js'
import type { WorkerControl } from '../protocol/control.js'
import { decodeError } from '../protocol/error-transfer.js'
import type { Broadcasts } from './broadcasts.js'
import type { Crew } from './crew.js'
import type { Emit } from './events.js'
import { moduleError, replayError } from './losses.js'
import { callOutside } from './outside-call.js'
import type { Task } from './task.js'

export class ControlNews {
  readonly #crew: Crew
  readonly #broadcasts: Broadcasts
  readonly #moduleUrl: string
  readonly #emit: Emit

  constructor(crew: Crew, broadcasts: Broadcasts, moduleUrl: string, emit: Emit) {
    this.#crew = crew
    this.#broadcasts = broadcasts
    this.#moduleUrl = moduleUrl
    this.#emit = emit
  }

  take(lane: Lane<Task>, message: WorkerControl): void {
    const worker = this.#crew.workers[lane.slot]
    switch (message.type) {
      case 'loaded':
        this.#broadcasts.arrived(worker, lane, message.names, message.kinds)
        break
      case 'replayed':
        if (message.error === undefined) this.#broadcasts.goOn(worker, lane)
        else this.#crew.failedToLoad(worker, replayError(lane.slot, decodeError(message.error)))
        break
      case 'loadFailed':
        this.#crew.failedToLoad(worker, moduleError(this.#moduleUrl, decodeError(message.error)))
        break
      case 'progress':
        callOutside(() => lane.taskOf(message.key)?.options.onProgress?.(message.value))
        break
      case 'item':
        lane.taskOf(message.key)?.options.onItem?.(message.value)
        break
      case 'output': {
        const { stream, key, text } = message
        const { slot, threadId } = worker
        this.#emit('output', { slot, threadId, stream, task: lane.taskOf(key)?.name, text })
        break
      }
      case 'unreadable':
        // Of what is sent beside tasks only a replay can be unreadable and waits for an answer.
        this.#crew.failedToLoad(worker, replayError(lane.slot, decodeError(message.error)))
        break
      case 'uncaught':
        worker.uncaught = { error: decodeError(message.error) }
        break
      case 'stopped':
        if (message.error !== undefined) this.#emit('error', decodeError(message.error))
        this.#crew.terminate(worker)
        break
    }
  }
}
