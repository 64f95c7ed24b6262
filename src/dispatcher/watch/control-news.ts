/** Messages of workers other than answers. */

import type { Lane } from '../../engine/lane.js'
import type { WorkerControl } from '../../protocol/control.js'
import { decodeError } from '../../protocol/error-transfer.js'
import type { Broadcasts } from '../crew/broadcasts.js'
import type { Crew } from '../crew/crew.js'
import { workerOf } from '../crew/pool-worker.js'
import { moduleError, replayError } from '../crew/thread-ends.js'
import type { Emit } from '../options/events.js'
import type { EarlyEnds } from '../settling/early-ends.js'
import { callOutside } from '../tasks/outside-call.js'
import type { Task } from '../tasks/task.js'

export class ControlNews {
  readonly #crew: Crew
  readonly #broadcasts: Broadcasts
  readonly #moduleUrl: string
  readonly #emit: Emit
  readonly #earlyEnds: EarlyEnds

  constructor(crew: Crew, broadcasts: Broadcasts, earlyEnds: EarlyEnds, moduleUrl: string, emit: Emit) {
    this.#earlyEnds = earlyEnds
    this.#crew = crew
    this.#broadcasts = broadcasts
    this.#moduleUrl = moduleUrl
    this.#emit = emit
  }

  take(lane: Lane<Task>, message: WorkerControl): void {
    const worker = workerOf(this.#crew.workers, lane)
    switch (message.type) {
      case 'imported':
        worker.startPhase = 'setup'
        break
      case 'loaded':
        worker.startPhase = 'broadcast'
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
        this.#tellProgress(lane.taskOf(message.key), message.value)
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
        // Of all messages other than tasks, only a replay can be unreadable and is waited for.
        this.#crew.failedToLoad(worker, replayError(lane.slot, decodeError(message.error)))
        break
      case 'uncaught':
        worker.uncaught = { error: decodeError(message.error) }
        break
      case 'stopped':
        if (message.error !== undefined) this.#emit('error', decodeError(message.error))
        worker.terminate()
        break
    }
  }

  #tellProgress(task: Task | undefined, value: unknown): void {
    const onProgress = task?.options.onProgress
    if (task === undefined || onProgress === undefined) return
    callOutside(
      // A task that was asked to end has no listener any more, also if this callback's own error ended it.
      () => (task.ending === undefined ? onProgress(value) : undefined),
      (error) => this.#earlyEnds.fail(task, error),
    )
  }
}
