/** What a run must leave as it found it: the host process, and every claim word of the lanes. */

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
  readonly #listeners = listenerCounts()
  /** Lanes that are open. */
  readonly lanes = new Set<Lane<LaneTask>>()
  readonly #undo: () => void

  constructor() {
    const uncaught = (error: unknown, origin: string) =>
      this.faults.push(`${origin}: ${String((error as Error)?.stack)}`)
    const warning = (notice: Error) => this.faults.push(`warning: ${notice.message}`)
    process.on('uncaughtExceptionMonitor', uncaught)
    process.on('warning', warning)
    const undoLanes = this.#followLanes()
    this.#undo = () => {
      process.off('uncaughtExceptionMonitor', uncaught)
      process.off('warning', warning)
      undoLanes()
    }
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
        return extra > 0 && name !== 'uncaughtExceptionMonitor' && name !== 'warning'
          ? [`${extra} more on ${name}`]
          : []
      })
      return [...more, ...listeners, ...(this.lanes.size > 0 ? [`${this.lanes.size} open lanes`] : [])]
    })
  }

  stop(): void {
    this.#undo()
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
