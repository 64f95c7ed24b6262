/**
 * One seeded run: dispatchers with drawn options, one after the other, each fed with drawn tasks while it is resized,
 * recycled, paused, reordered, asked to abort, starved of the host's thread, and closed one way or another. Everything
 * that is decided comes from the seed; what the threads make of it does not.
 */

import { getEventListeners } from 'node:events'
import { type RandomSource, seededRandom } from '../../src/base/random.js'
import { Dispatcher, type DispatcherOptions, type RunOptions, type StrategyName } from '../../src/index.js'
import { eventually, HostWatch } from './host-watch.js'
import { drawTask, type TaskPlan } from './task-plan.js'
import { faultOf, type Outcome } from './verdict.js'

const module = new URL('./chaos-tasks.mjs', import.meta.url)
const ATTEMPTS = 4
/** Longer than any limit, back-off and stall of a run together: what is unsettled then never settles. */
const SETTLE_MS = 20_000

const STRATEGIES: readonly StrategyName[] = [
  'range-table',
  'two-choices',
  'round-robin',
  'consistent-hash',
  'least-loaded',
]

export interface ChaosReport {
  readonly settled: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly faults: readonly string[]
}

const pick = <T>(random: RandomSource, values: readonly T[]): T => values[Math.floor(random() * values.length)]

function drawDispatcherOptions(random: RandomSource): Omit<DispatcherOptions, 'module' | 'workerData'> {
  return {
    workers: random() < 0.3 ? { min: 1, max: 4 } : pick(random, [1, 2, 3, 4]),
    strategy: pick(random, STRATEGIES),
    mode: random() < 0.15 ? 'push' : 'central',
    takeBack: random() < 0.85,
    window: pick(random, [undefined, undefined, undefined, 1, 8, 256]),
    ioWindow: pick(random, [64, 64, 1, 5]),
    maxQueue: random() < 0.15 ? 200 : Number.POSITIVE_INFINITY,
    maxTasksPerWorker: random() < 0.15 ? 200 : Number.POSITIVE_INFINITY,
    stallKillMs: random() < 0.15 ? 250 : Number.POSITIVE_INFINITY,
    gates: { few: { concurrency: pick(random, [1, 3, 20]) } },
    stallMs: 100,
    stallUnknownMs: 100,
    graceMs: pick(random, [0, 20, 250]),
    idleMs: 50,
    random: seededRandom(random() * 2 ** 32),
  }
}

interface Flight {
  readonly plan: TaskPlan
  readonly signal: AbortSignal | undefined
  readonly pool: PoolRun
  outcome: Outcome | undefined
  settledTwice: boolean
  /** How often it had been started when its signal fired before it had settled. */
  startsAtAbort: number | undefined
}

interface PoolRun {
  readonly dispatcher: Dispatcher
  readonly options: ReturnType<typeof drawDispatcherOptions>
  readonly flights: Flight[]
  readonly starts: Int32Array
  controller: AbortController
  readonly controllers: AbortController[]
  unsettled: number
  closing: boolean
}

export async function chaosRun(seed: number, pools: number, tasksPerPool: number): Promise<ChaosReport> {
  const random = seededRandom(seed)
  const starts = new SharedArrayBuffer(4 * ATTEMPTS * pools * tasksPerPool)
  const watch = new HostWatch()
  const faults: string[] = []
  const flights: Flight[] = []
  for (let round = 0; round < pools; round++) {
    const options = drawDispatcherOptions(random)
    const about = (fault: string) => `seed ${seed}, pool ${round} (${JSON.stringify(options)}): ${fault}`
    const pool = openPool(options, starts)
    faults.push(...(await feed(pool, random, round * tasksPerPool, tasksPerPool)).map(about))
    faults.push(...(await end(pool, random, watch)).map(about))
    faults.push(...judge(pool).map(about))
    flights.push(...pool.flights)
  }
  faults.push(...(await watch.leftOver()).map((left) => `seed ${seed}: ${left}`))
  watch.stop()
  faults.push(...watch.faults.map((fault) => `seed ${seed}: ${fault}`))
  return { settled: flights.filter(({ outcome }) => outcome !== undefined).length, outcomes: countsOf(flights), faults }
}

function openPool(options: PoolRun['options'], starts: SharedArrayBuffer): PoolRun {
  const dispatcher = new Dispatcher({ ...options, module, workerData: { starts } })
  dispatcher.on('error', () => {})
  const controller = new AbortController()
  return {
    dispatcher,
    options,
    flights: [],
    starts: new Int32Array(starts),
    controller,
    controllers: [controller],
    unsettled: 0,
    closing: false,
  }
}

/** Submits the tasks in bursts, with whatever else happens to a dispatcher between them. */
async function feed(pool: PoolRun, random: RandomSource, firstId: number, count: number): Promise<string[]> {
  const target = pick(random, [20, 200, 800])
  for (let sent = 0; sent < count; ) {
    const burst = Math.min(count - sent, 1 + Math.floor(random() * 64))
    for (let at = 0; at < burst; at++) submit(pool, drawTask(firstId + sent++, random))
    disturb(pool, random)
    if (random() < 0.1) await pause(random() * 10)
    const waitEnds = performance.now() + SETTLE_MS
    while (pool.unsettled > target && performance.now() < waitEnds)
      await new Promise((resolve) => setImmediate(resolve))
    if (pool.unsettled > target) return [stuck(pool)]
  }
  return []
}

/** Nothing has come of the unsettled tasks for so long that nothing ever will. */
function stuck({ dispatcher, flights }: PoolRun): string {
  const open = flights.filter(({ outcome }) => outcome === undefined).map(({ plan }) => `${plan.id} ${plan.name}`)
  const { workers, queued, posted, running } = dispatcher.snapshot()
  const rows = workers.map(({ state, outstanding, depth, lagMs }) => ({ state, outstanding, depth, lagMs }))
  return `stuck with ${queued} queued, ${posted} posted, ${running} running, workers ${JSON.stringify(rows)}: ${open.slice(0, 20)}`
}

function submit(pool: PoolRun, plan: TaskPlan): void {
  const { controller, dispatcher } = pool
  const signal = plan.signalled ? controller.signal : undefined
  const flight: Flight = { plan, signal, pool, outcome: undefined, settledTwice: false, startsAtAbort: undefined }
  const options: RunOptions = {
    ...plan.options,
    ...(signal !== undefined && { signal }),
    ...(plan.payload.buffer !== undefined && { transfer: [plan.payload.buffer] }),
    ...(plan.name === 'tells' && { onProgress: (value) => noteProgress(flight, value) }),
  }
  if (plan.payload.buffer !== undefined) new Uint32Array(plan.payload.buffer)[0] = plan.id
  pool.flights.push(flight)
  pool.unsettled++
  const settle = (outcome: Outcome) => {
    if (flight.outcome !== undefined) flight.settledTwice = true
    flight.outcome = outcome
    pool.unsettled--
  }
  dispatcher.run(plan.name, plan.payload, options).then(
    (value) => settle({ ok: true, value }),
    (value) => settle({ ok: false, value }),
  )
}

/** Progress that is another task's, or comes after the end, counts as a second end. */
function noteProgress(flight: Flight, value: unknown): void {
  const isOwn = (value as { id: number }).id === flight.plan.id
  if (!isOwn || flight.outcome !== undefined) flight.settledTwice = true
}

function disturb(pool: PoolRun, random: RandomSource): void {
  const { dispatcher } = pool
  const dice = random()
  if (dice < 0.012) dispatcher.resize(pick(random, [1, 2, 3, 4, { min: 1, max: 4 }, { min: 0, max: 2 }]))
  else if (dice < 0.018) dispatcher.recycle()
  else if (dice < 0.12) abort(pool)
  else if (dice < 0.135) spin(random() * 60)
  else if (dice < 0.16) dispatcher.setPriority(`tag ${Math.floor(random() * 4)}`, Math.floor(random() * 5))
  else if (dice < 0.175) {
    dispatcher.pause()
    setTimeout(() => dispatcher.resume(), random() * 15)
  } else if (dice < 0.2) dispatcher.snapshot()
}

function abort(pool: PoolRun): void {
  const { controller, flights, starts } = pool
  controller.abort(new Error('chaos'))
  for (const flight of flights) {
    if (flight.signal !== controller.signal || flight.outcome !== undefined) continue
    flight.startsAtAbort = startsOf(starts, flight.plan).reduce((sum, count) => sum + count)
  }
  pool.controller = new AbortController()
  pool.controllers.push(pool.controller)
}

/** How often each attempt was started. */
function startsOf(starts: Int32Array, { id }: TaskPlan): number[] {
  return Array.from(starts.subarray(id * ATTEMPTS, (id + 1) * ATTEMPTS))
}

/** Ends the dispatcher in one of four ways and waits until everything has settled. */
async function end(pool: PoolRun, random: RandomSource, watch: HostWatch): Promise<string[]> {
  const { dispatcher } = pool
  const way = pick(random, ['idle', 'close', 'late', 'force'] as const)
  const faults: string[] = []
  if (way === 'idle') {
    const isIdle = await Promise.race([dispatcher.idle().then(() => true), sleep(SETTLE_MS)])
    if (isIdle !== true) faults.push(stuck(pool))
    faults.push(...(await eventually(() => [...watch.heldByLanes()])), ...countFaults(pool))
  }
  pool.closing = true
  const closed = dispatcher.close(way === 'force' ? { force: true } : { timeoutMs: way === 'late' ? 20 : SETTLE_MS })
  await Promise.race([closed, sleep(2 * SETTLE_MS)])
  // Promises settle in microtasks that follow the close.
  await new Promise((resolve) => setImmediate(resolve))
  for (const { signal } of pool.controllers) {
    const left = getEventListeners(signal, 'abort').length
    if (left > 0) faults.push(`${left} listeners are left on an abort signal`)
  }
  return faults
}

/** An idle dispatcher's own figures against what was seen. */
function countFaults({ dispatcher, flights }: PoolRun): string[] {
  const { queued, posted, completed, failed, rejected } = dispatcher.snapshot()
  const answered = flights.filter(({ outcome }) => outcome?.ok).length
  const faults: string[] = []
  if (queued !== 0 || posted !== 0) faults.push(`idle with ${queued} queued and ${posted} posted`)
  if (completed !== answered) faults.push(`${completed} completed by its own count, ${answered} answered`)
  const ended = completed + failed + rejected
  if (ended !== flights.length) faults.push(`${ended} ended by its own count, ${flights.length} submitted`)
  return faults
}

function judge(pool: PoolRun): string[] {
  return pool.flights.flatMap(({ plan, signal, outcome, settledTwice, startsAtAbort }) => {
    const own = startsOf(pool.starts, plan)
    const fault =
      outcome === undefined
        ? `never settled, starts ${own}`
        : faultOf(plan, outcome, own, {
            signal,
            startsAtAbort,
            closing: pool.closing,
            bounded: pool.options.maxQueue !== Number.POSITIVE_INFINITY,
            stallsAreKilled: pool.options.stallKillMs !== Number.POSITIVE_INFINITY,
          })
    const described = `task ${plan.id} ${plan.name} ${JSON.stringify(plan.options)}`
    return [
      ...(fault === undefined ? [] : [`${described} ${fault}`]),
      ...(settledTwice ? [`${described} settled twice, or heard another's progress`] : []),
    ]
  })
}

function countsOf(flights: readonly Flight[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { outcome } of flights) {
    if (outcome === undefined) continue
    const name = outcome.ok ? 'answer' : String((outcome.value as { code?: string }).code)
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** For races: does not hold the process once the other side has won. */
function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

/** The host's own thread does not get on either. */
function spin(ms: number): void {
  const endsAt = performance.now() + ms
  while (performance.now() < endsAt);
}
