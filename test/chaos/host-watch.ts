/** What a run must leave as it found it: the host process, and every claim word of the lanes. */

import { type Clock, systemClock, type Timer } from '../../src/base/clock.js'
import { CLAIMS_PER_LANE } from '../../src/board/layout.js'
import { Lane } from '../../src/engine/lane.js'
import type { LaneTask } from '../../src/engine/lane-task.js'

/** Host resources by type, those that come and go without us left out. */
function resources(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const type of process.getActiveResourcesInfo()) counts[type] = (counts[type] ?? 0) + 1
  return counts
}

const watched = ['MessagePort', 'Worker', 'Timeout', 'Immediate', 'FSReqCallback'] as const

export class HostWatch {
  readonly faults: string[] = []
  readonly #resources = resources()
  readonly #listeners: Record<string, number>
  /** Uncaught exceptions that nobody has accounted for yet. */
  readonly #uncaught: { readonly error: unknown; readonly origin: string }[] = []
  /** Lanes that are open. */
  readonly lanes = new Set<Lane<LaneTask>>()
  readonly #timers = new Set<Timer>()
  readonly #undo: () => void

  constructor() {
    const warning = (notice: Error) => this.faults.push(`warning: ${notice.stack}`)
    process.on('warning', warning)
    // Nobody else hears of them: some are due.
    const undoUncaught = (['uncaughtException', 'unhandledRejection'] as const).map((origin) =>
      takeOver(origin, (error) => this.#uncaught.push({ error, origin })),
    )
    this.#listeners = listenerCounts()
    const undoLanes = this.#followLanes()
    const undoTimers = this.#followTimers()
    this.#undo = () => {
      for (const { error, origin } of this.#uncaught) {
        this.faults.push(`${origin}: ${String((error as Error)?.stack)}`)
      }
      process.off('warning', warning)
      for (const undo of undoUncaught) undo()
      undoLanes()
      undoTimers()
    }
  }

  /** Timers of ours that run, whether they hold the process or not. */
  get timers(): number {
    return this.#timers.size
  }

  /** Listeners of the process. */
  get listeners(): number {
    return Object.values(listenerCounts()).reduce((sum, count) => sum + count, 0)
  }

  /** Claim words of all open lanes that no task has. */
  get freeWords(): number {
    return [...this.lanes].reduce((sum, { freeWords }) => sum + freeWords, 0)
  }

  /** Lanes that hold a task or a claim word although nothing is unsettled. */
  heldByLanes(): string[] {
    return [...this.lanes].flatMap((lane) => {
      const isClear =
        lane.freeWords === CLAIMS_PER_LANE && lane.outstanding === 0 && lane.payloadBytes === 0 && lane.expectedMs === 0
      return isClear ? [] : [`lane ${lane.slot}: ${CLAIMS_PER_LANE - lane.freeWords} words, ${lane.outstanding} tasks`]
    })
  }

  /** What is there now and was not at the start, once everything was closed. */
  async leftOver(): Promise<string[]> {
    return eventually(() => {
      const now = resources()
      const more = watched.flatMap((type) => {
        const extra = (now[type] ?? 0) - (this.#resources[type] ?? 0)
        return extra > 0 ? [`${extra} more ${type}`] : []
      })
      const listeners = Object.entries(listenerCounts()).flatMap(([name, count]) => {
        const extra = count - (this.#listeners[name] ?? 0)
        return extra > 0 ? [`${extra} more on ${name}`] : []
      })
      const open = this.lanes.size > 0 ? [`${this.lanes.size} open lanes`] : []
      const timers = this.timers > 0 ? [`${this.timers} timers`] : []
      return [...more, ...listeners, ...open, ...timers]
    })
  }

  /**
   * Uncaught exceptions so far that are not among those that are due, each once, or may be; and those that are due and
   * did not come.
   */
  unexpected(due: ReadonlySet<unknown>, mayBe: ReadonlySet<unknown>): string[] {
    const missing = new Set(due)
    const others = this.#uncaught.splice(0).filter(({ error, origin }) => {
      if (origin === 'uncaughtException' && missing.delete(error)) return false
      return origin !== 'uncaughtException' || !mayBe.has(error)
    })
    const said = others.map(({ error, origin }) => `${origin}: ${String((error as Error)?.stack)}`)
    return [...said, ...(missing.size === 0 ? [] : [`${missing.size} of ${due.size} due exceptions did not come`])]
  }

  stop(): void {
    this.#undo()
  }

  /** Node lists only timers that hold the process; these are all that are made by the clock of the dispatchers. */
  #followTimers(): () => void {
    const { after, every } = systemClock
    const clock = systemClock as { -readonly [Name in keyof Clock]: Clock[Name] }
    const running = this.#timers
    const follow = (timer: Timer): Timer => {
      const followed: Timer = {
        stop: () => {
          running.delete(followed)
          timer.stop()
        },
        unref: () => timer.unref(),
      }
      running.add(followed)
      return followed
    }
    clock.after = (delayMs, callback) => {
      const followed = follow(
        after(delayMs, () => {
          running.delete(followed)
          callback()
        }),
      )
      return followed
    }
    clock.every = (periodMs, callback) => follow(every(periodMs, callback))
    return () => Object.assign(clock, { after, every })
  }

  #followLanes(): () => void {
    const { post, close } = Lane.prototype
    const { lanes } = this
    Lane.prototype.post = function (this: Lane<LaneTask>, ...args) {
      lanes.add(this)
      post.apply(this, args)
    }
    Lane.prototype.close = function (this: Lane<LaneTask>) {
      lanes.delete(this)
      close.call(this)
    }
    return () => Object.assign(Lane.prototype, { post, close })
  }
}

type FaultEvent = 'uncaughtException' | 'unhandledRejection'

/** Puts one listener in the place of all others of the process. */
function takeOver(name: FaultEvent, listener: (error: unknown) => void): () => void {
  const others = process.rawListeners(name)
  process.removeAllListeners(name)
  process.on(name as 'uncaughtException', listener)
  return () => {
    process.off(name, listener)
    for (const other of others) process.on(name as 'uncaughtException', other as (error: unknown) => void)
  }
}

function listenerCounts(): Record<string, number> {
  return Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)]))
}

/** Looks again until nothing is found, for some seconds; what is found then stands. */
export async function eventually(look: () => string[]): Promise<string[]> {
  const endsAt = performance.now() + 10_000
  for (;;) {
    const found = look()
    if (found.length === 0 || performance.now() > endsAt) return found
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
