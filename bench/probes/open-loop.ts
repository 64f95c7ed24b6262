/**
 * Open loop: tasks arrive when the schedule says so, whether or not earlier ones are done, and latency counts from the
 * scheduled time. A task that the generator could not send in time is sent at once and never skipped, so a stall that
 * also stops the generator still shows in the figures.
 */

import { nowMs } from './pool.js'

export interface ScheduledTask {
  /** From the start of the schedule, ms. */
  readonly atMs: number
  readonly send: () => Promise<unknown>
}

export interface OpenLoopTimes {
  /** By position in the schedule; NaN for a task that was rejected or had not settled at the end of the wait. */
  readonly latencyMs: Float64Array
  /** By position in the schedule: what the task returned. */
  readonly values: unknown[]
  /** Share of arrivals that were sent more than 5 ms after their time. */
  readonly generatorLateShare: number
  /** How often a settled promise was seen; more than one per task would be a task that settled twice. */
  readonly settled: number
  readonly rejected: number
  /** Monotonic time at which the schedule began, ms. */
  readonly startMs: number
}

const lateMs = 5

/** A timer may be this much late, so the generator stops sleeping that long before the next arrival. */
const timerSlackMs = 2

export interface OpenLoopOptions {
  /** Called once when the schedule starts, with the monotonic time, ms. */
  readonly started?: (startMs: number) => void
  /**
   * What the generator does between arrivals less than 2 ms apart. `turn` (default): it turns the event loop, because a
   * timer's millisecond would be larger than what is measured, and takes a processor. `sleep`: it waits for a timer and
   * may be a millisecond late; for tasks that need the processors themselves.
   */
  readonly between?: 'turn' | 'sleep'
  /** After the last arrival the loop waits so long for the rest to settle. */
  readonly waitMs: number
}

/**
 * Sends the tasks, which are in order of time, and waits for them. The generator shares the main thread with the
 * dispatcher, as a program that uses one would.
 */
export async function runOpenLoop(
  schedule: readonly ScheduledTask[],
  options: OpenLoopOptions,
): Promise<OpenLoopTimes> {
  const count = schedule.length
  const latencyMs = new Float64Array(count).fill(Number.NaN)
  const values: unknown[] = new Array(count)
  let settled = 0
  let rejected = 0
  let late = 0
  let next = 0
  const startMs = nowMs()
  options.started?.(startMs)

  const send = (position: number): void => {
    const task = schedule[position] as ScheduledTask
    task.send().then(
      (value) => {
        latencyMs[position] = nowMs() - startMs - task.atMs
        values[position] = value
        settled++
      },
      () => {
        settled++
        rejected++
      },
    )
  }

  await new Promise<void>((resolve) => {
    const turn = (): void => {
      let passedMs = nowMs() - startMs
      while (next < count && (schedule[next] as ScheduledTask).atMs <= passedMs) {
        if (passedMs - (schedule[next] as ScheduledTask).atMs > lateMs) late++
        send(next++)
        passedMs = nowMs() - startMs
      }
      if (next === count) {
        resolve()
        return
      }
      const pauseMs = (schedule[next] as ScheduledTask).atMs - passedMs - timerSlackMs
      if (pauseMs >= 1 || options.between === 'sleep') setTimeout(turn, Math.max(1, pauseMs))
      else setImmediate(turn)
    }
    turn()
  })

  const endMs = nowMs() + options.waitMs
  while (settled < count && nowMs() < endMs) await new Promise((resolve) => setTimeout(resolve, 5))
  return { latencyMs, values, settled, rejected, startMs, generatorLateShare: count === 0 ? 0 : late / count }
}

/** Arrival times of a Poisson process, ms from 0 up to `durationMs`. */
export function poissonTimes(perSecond: number, durationMs: number, random: () => number): number[] {
  const times: number[] = []
  let atMs = 0
  for (;;) {
    atMs += (-Math.log(1 - random()) / perSecond) * 1_000
    if (atMs >= durationMs) return times
    times.push(atMs)
  }
}
