/** Many tasks over dispatchers, and what they leave in the host while the dispatchers live on idle, and after them. */

import { getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Dispatcher } from '../../src/index.js'
import { eventually, HostWatch } from './host-watch.js'

const module = new URL('./chaos-tasks.mjs', import.meta.url)
/** In flight per dispatcher. */
const IN_FLIGHT = 64
/** Of as many successive tasks one throws, and one each has a signal, a limit, a deadline, a priority, a key. */
const EVERY = 16

/** What the host holds for idle dispatchers. */
export interface HostCensus {
  /** Of the process, the dispatchers, and the signals that tasks were given. */
  readonly listeners: number
  /** Ports that lanes hold open. */
  readonly ports: number
  /** Timers, also those that hold no process. */
  readonly timers: number
  /** Claim words that no task has. */
  readonly freeWords: number
}

export interface LeakReport {
  /** Growth of the heap per task once everything is warm, bytes. */
  readonly heapPerTask: number
  /** What idle dispatchers hold, after the first fifth of the tasks and after all of them. */
  readonly warm: HostCensus
  readonly end: HostCensus
  /** What they hold meanwhile, while tasks run: that the counting sees anything. */
  readonly busy: HostCensus
  /** What idle dispatchers still hold that is of a task. */
  readonly held: readonly string[]
  /** What is there after the close and was not before. */
  readonly left: readonly string[]
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed
}

export async function leakRun(pools: number, tasks: number): Promise<LeakReport> {
  const watch = new HostWatch()
  const starts = new SharedArrayBuffer(16 * EVERY)
  const dispatchers = Array.from(
    { length: pools },
    () => new Dispatcher({ module, workers: 1, workerData: { starts } }),
  )
  // One signal for all tasks that have one, as an app has that ends them together.
  const { signal } = new AbortController()
  const options = [{ signal }, { runTimeoutMs: 60_000 }, { deadlineMs: 60_000 }, { priority: 1 }, { key: 'a' }]
  const feed = async (dispatcher: Dispatcher, count: number) => {
    let sent = 0
    const caller = async () => {
      while (sent < count) {
        const id = sent++ % EVERY
        const run = dispatcher.run(id === EVERY - 1 ? 'throws' : 'quick', { id }, options[id])
        await run.catch(() => {})
      }
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, caller))
  }
  const feedAll = (count: number) =>
    Promise.all(dispatchers.map((dispatcher) => feed(dispatcher, Math.ceil(count / pools))))
  const census = (): HostCensus => ({
    listeners: watch.listeners + getEventListeners(signal, 'abort').length + listenersOf(dispatchers),
    ports: watch.lanes.size,
    timers: watch.timers,
    freeWords: watch.freeWords,
  })
  /** The last answers' words come back, and the timer that runs while anything is unsettled stops. */
  const quiet = () => eventually(() => [...watch.heldByLanes(), ...(watch.timers > 0 ? ['a timer'] : [])])

  await feedAll(tasks / 5)
  await quiet()
  const warm = census()
  const before = heapUsed()
  const rest = feedAll((tasks * 4) / 5)
  const busy = census()
  await rest
  const heapPerTask = (heapUsed() - before) / ((tasks * 4) / 5)
  const held = [...(await quiet()), ...idleFaults(dispatchers)]
  const end = census()
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.close()))
  const left = [...(await watch.leftOver()), ...watch.faults]
  watch.stop()
  return { heapPerTask, warm, busy, end, held, left }
}

function listenersOf(dispatchers: readonly Dispatcher[]): number {
  const names = dispatchers.flatMap((dispatcher) => dispatcher.eventNames().map((name) => [dispatcher, name] as const))
  return names.reduce((sum, [dispatcher, name]) => sum + dispatcher.listenerCount(name), 0)
}

function idleFaults(dispatchers: readonly Dispatcher[]): string[] {
  return dispatchers.flatMap((dispatcher) => {
    const { queued, posted } = dispatcher.snapshot()
    return queued + posted === 0 ? [] : [`${queued} queued, ${posted} posted`]
  })
}
