/** Workers that are to end although they hold work: what they have not started moves on, the rest ends with them. */

import type { Crew } from './crew.js'
import type { PoolWorker } from './pool-worker.js'
import type { Router } from './router.js'

export class Isolation {
  readonly #crew: Crew
  readonly #router: Router

  constructor(crew: Crew, router: Router) {
    this.#crew = crew
    this.#router = router
  }

  /** The worker gets nothing more, and ends when it has finished what it has started. */
  isolate(worker: PoolWorker): void {
    if (worker.isReady) this.#crew.retire(worker, 'restart')
    this.withdraw(worker)
  }

  /** Takes from the worker all that it has not started. */
  withdraw(worker: PoolWorker): void {
    this.#router.release(worker)
    for (const task of worker.lane?.takeBackAll() ?? []) this.#router.putBack(task)
  }

  /** Ends a worker that has been silent for too long: the task that holds its turn is to blame. */
  endSilent(worker: PoolWorker): void {
    const lane = worker.lane!
    lane.readPort()
    if (lane.outstanding === 0 || worker.uncaught !== undefined) return
    worker.uncaught = { error: new Error(`the worker gave no sign of life for ${Math.round(worker.silentMs)} ms`) }
    const running = lane.runningTask
    this.isolate(worker)
    if (running !== undefined) lane.doom(running)
    worker.terminate(running)
  }
}
