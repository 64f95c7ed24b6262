/**
 * One seeded run: dispatchers with drawn options, one after the other, each fed with drawn tasks while it is resized,
 * recycled, paused, reordered, asked to abort, starved of the host's thread, used by whatever it calls, and closed one
 * way or another. Everything that is decided comes from the seed; what the threads make of it does not, nor does what
 * callbacks do.
 */

import { type RandomSource, seededRandom } from '../../src/base/random.js'
import { eventually, HostWatch } from './host-watch.js'
import { drawPoolOptions, type PoolOptions, pick } from './pool-options.js'
import { ATTEMPTS, type Flight, type Ids, PoolRun, SETTLE_MS } from './pool-run.js'
import { mapLoop, streamLoop } from './side-loops.js'
import { drawTask } from './task-plan.js'

/** Tasks that callbacks may submit, for each planned one. */
const SPARE = 0.25

export interface ChaosReport {
  readonly settled: number
  /** Calls of `run`, and tasks of maps and streams. */
  readonly submitted: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly faults: readonly string[]
}

export interface ChaosSettings {
  readonly seed: number
  readonly pools: number
  readonly tasksPerPool: number
  /** Instead of what is drawn. */
  readonly options?: Partial<PoolOptions>
  /** Share of the bursts that come with a long task, so that workers are mostly in the middle of one. */
  readonly longShare?: number
}

export async function chaosRun(settings: ChaosSettings): Promise<ChaosReport> {
  const { seed, pools, tasksPerPool, options: fixed, longShare = 0 } = settings
  const random = seededRandom(seed)
  const planned = pools * tasksPerPool
  const slots = ATTEMPTS * Math.ceil(planned * (1 + SPARE))
  const notes = { counts: new SharedArrayBuffer(4 * slots), times: new SharedArrayBuffer(8 * slots) }
  const spareIds = idsBetween(planned, slots / ATTEMPTS)
  const watch = new HostWatch()
  const faults: string[] = []
  const outcomes: Record<string, number> = {}
  let submitted = 0
  let settled = 0
  for (let round = 0; round < pools; round++) {
    const options = { ...drawPoolOptions(random), ...fixed }
    const about = (fault: string) => `seed ${seed}, pool ${round} (${JSON.stringify(options)}): ${fault}`
    const pool = new PoolRun(options, notes, spareIds, seededRandom(random() * 2 ** 32), longShare)
    const loopTasks = { count: 0 }
    faults.push(...(await feed(pool, random, round * tasksPerPool, tasksPerPool, loopTasks)).map(about))
    faults.push(...(await end(pool, random, watch, loopTasks.count === 0)).map(about))
    faults.push(...pool.judge().map(about), ...watch.unexpected(pool.hostile.escapes, pool.lateThrows).map(about))
    submitted += pool.flights.length + loopTasks.count
    settled += loopTasks.count + pool.flights.filter(({ outcome }) => outcome !== undefined).length
    count(pool.flights, outcomes)
  }
  faults.push(...(await watch.leftOver()).map((left) => `seed ${seed}: ${left}`))
  watch.stop()
  faults.push(...watch.faults.map((fault) => `seed ${seed}: ${fault}`))
  return { settled, submitted, outcomes, faults }
}

function idsBetween(first: number, end: number): Ids {
  let next = first
  return { next: () => (next < end ? next++ : undefined) }
}

/** Submits the tasks in bursts, with whatever else happens to a dispatcher between them. */
async function feed(
  pool: PoolRun,
  random: RandomSource,
  firstId: number,
  planned: number,
  loopTasks: { count: number },
): Promise<string[]> {
  const target = pick(random, [20, 200, 800])
  const hasLoops = random() < 0.7
  for (let sent = 0; sent < planned; ) {
    const burst = Math.min(planned - sent, 1 + Math.floor(random() * 64))
    if (hasLoops && random() < 0.15) {
      const ids = Array.from({ length: random() < 0.5 ? 1 : burst }, () => firstId + sent++)
      const loop = ids.length === 1 ? streamLoop(pool, ids[0]!, random) : mapLoop(pool, ids, random)
      loopTasks.count += ids.length
      pool.loopsOpen++
      pool.loops.push(loop.finally(() => pool.loopsOpen--))
    } else {
      const isGated = random() < 0.04
      for (let at = 0; at < burst; at++) pool.submit(drawTask(firstId + sent++, random, isGated && at < 20))
    }
    pool.disturb(random())
    pool.submitLong()
    if (random() < 0.1) await pause(random() * 10)
    const waitEnds = performance.now() + SETTLE_MS
    while (pool.unsettled > target && performance.now() < waitEnds)
      await new Promise((resolve) => setImmediate(resolve))
    if (pool.unsettled > target) return [stuck(pool)]
  }
  return []
}

/** Nothing has come of the unsettled tasks for so long that nothing ever will. */
function stuck({ dispatcher, flights, loopsOpen }: PoolRun): string {
  const open = flights.filter(({ outcome }) => outcome === undefined).map(({ plan }) => `${plan.id} ${plan.name}`)
  const { workers, queued, posted } = dispatcher.snapshot()
  const rows = workers.map(({ state, outstanding, depth, lagMs }) => ({ state, outstanding, depth, lagMs }))
  const what = `${queued} queued, ${posted} posted, ${loopsOpen} loops, workers ${JSON.stringify(rows)}`
  return `stuck with ${what}: ${open.slice(0, 20)}`
}

/** Ends the dispatcher in one of four ways and waits until everything has settled. */
async function end(pool: PoolRun, random: RandomSource, watch: HostWatch, isCounted: boolean): Promise<string[]> {
  const { dispatcher } = pool
  const way = pick(random, ['idle', 'idle', 'close', 'late', 'force'] as const)
  const faults: string[] = []
  if (way === 'idle' && !pool.closing) {
    const loops = Promise.all(pool.loops)
    if (!(await within(loops)) || !(await within(dispatcher.idle()))) faults.push(stuck(pool))
    if (!pool.closing) {
      faults.push(...(await eventually(() => [...watch.heldByLanes()])))
      if (isCounted) faults.push(...countFaults(pool))
    }
  }
  const closed = pool.close(way === 'force' ? { force: true } : { timeoutMs: way === 'late' ? 20 : SETTLE_MS })
  // Before the close gives up, so that the workers tell what they wait for.
  if (!(await within(closed, SETTLE_MS - 5_000))) faults.push(stuck(pool))
  if (!(await within(closed, 2 * SETTLE_MS))) faults.push('does not close')
  if (!(await within(Promise.all(pool.loops)))) faults.push(stuck(pool))
  else faults.push(...(await Promise.all(pool.loops)).flat())
  // Promises settle in microtasks that follow the close.
  await new Promise((resolve) => setImmediate(resolve))
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

function count(flights: readonly Flight[], counts: Record<string, number>): void {
  for (const { outcome } of flights) {
    if (outcome === undefined) continue
    const name = outcome.ok ? 'answer' : ((outcome.error as { code?: string }).code ?? 'own throw')
    counts[name] = (counts[name] ?? 0) + 1
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Whether it settles in time; does not hold the process once it has. */
function within(promise: Promise<unknown>, limitMs = SETTLE_MS): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(resolve, limitMs, false).unref())
  return Promise.race([promise.then(() => true), late])
}
