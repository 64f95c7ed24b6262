/** Many tasks over several dispatchers at once, and what they leave in the host while the dispatchers live on idle. */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Dispatcher } from '../../src/index.js'
import { eventually, HostWatch } from './host-watch.js'

const module = new URL('./chaos-tasks.mjs', import.meta.url)
/** In flight per dispatcher. */
const IN_FLIGHT = 64
/** Of as many successive tasks one throws, and one each has a signal, a limit, a deadline, a priority, a key. */
const EVERY = 16

export interface LeakReport {
  /** Growth of the heap per task once everything is warm, bytes. */
  readonly heapPerTask: number
  /** What idle dispatchers still hold. */
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
  const feed = async (dispatcher: Dispatcher, count: number) => {
    const { signal } = new AbortController()
    const options = [{ signal }, { runTimeoutMs: 60_000 }, { deadlineMs: 60_000 }, { priority: 1 }, { key: 'a' }]
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

  await feedAll(tasks / 5)
  const before = heapUsed()
  await feedAll((tasks * 4) / 5)
  const heapPerTask = (heapUsed() - before) / ((tasks * 4) / 5)
  const held = [...(await eventually(() => watch.heldByLanes())), ...idleFaults(dispatchers)]
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.close()))
  const left = [...(await watch.leftOver()), ...watch.faults]
  watch.stop()
  return { heapPerTask, held, left }
}

function idleFaults(dispatchers: readonly Dispatcher[]): string[] {
  return dispatchers.flatMap((dispatcher) => {
    const { queued, running } = dispatcher.snapshot()
    return queued + running === 0 ? [] : [`${queued} queued, ${running} running`]
  })
}
