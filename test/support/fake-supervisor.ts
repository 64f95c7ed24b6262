import type { Clock } from '../../src/base/clock.js'
import type { Supervisor, ThreadEvents, ThreadOptions } from '../../src/engine/supervisor.js'
import type { TaskKind } from '../../src/protocol/batch.js'
import { SETTINGS_KEY, type ThreadWorkerData } from '../../src/protocol/control.js'
import { FakeThread } from './fake-thread.js'

/** Keeps fake threads instead of real ones. */
export class FakeSupervisor implements Supervisor {
  /** Every thread ever started, in order. */
  readonly threads: FakeThread[] = []
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The thread that now fills a slot. */
  at(slot: number): FakeThread {
    const thread = this.threads.findLast(({ settings }) => settings.slot === slot)
    if (thread === undefined) throw new Error(`slot ${slot} never had a thread`)
    return thread
  }

  spawn(workerData: ThreadWorkerData, _options: ThreadOptions, events: ThreadEvents): FakeThread {
    const thread = new FakeThread(this.threads.length + 1, workerData[SETTINGS_KEY], events, this.#clock)
    this.threads.push(thread)
    return thread
  }

  /** All threads that have not said so yet boot and load; the news wait in their ports. */
  load(names: readonly string[], kinds?: readonly TaskKind[]): void {
    for (const thread of this.threads) if (!thread.dead) thread.hello().loaded(names, kinds)
  }

  dispose(): void {
    for (const thread of this.threads) thread.dispose()
  }
}
