import fc from 'fast-check'
import { expect, test } from 'vitest'
import { livesOf, type PoolWorker } from '../../../src/dispatcher/crew/pool-worker.js'
import { ARROWS, type Place, type Task, type TaskOptions } from '../../../src/dispatcher/tasks/task.js'
import { FakePool, type Submitted } from '../../support/fake-pool.js'
import type { FakeThread } from '../../support/fake-thread.js'
import '../../support/seeded-properties.js'

/** One thing that happens; numbers choose who it happens to. */
type Step = readonly [what: (typeof STEPS)[number], who: number, how: number]

const STEPS = [
  'run',
  'run',
  'run',
  'run i/o',
  'run with limits',
  'run with retries',
  'run moved',
  'run urgent',
  'run tagged',
  'run later',
  'run on one',
  'run gated',
  'reorder',
  'cancel',
  'pause',
  'resume',
  'resume',
  'abort',
  'start',
  'start',
  'start i/o',
  'end',
  'end',
  'fail',
  'answer',
  'answer',
  'deliver',
  'beat',
  'pass',
  'pass long',
  'die',
  'load',
  'load',
  'stop',
  'recycle',
  'replace',
  'resize',
] as const

/** Notes every way from place to place that a task takes and the table does not have. */
function watchPlaces(task: Task, strays: string[]): void {
  let now: Place = task.place
  Object.defineProperty(task, 'place', {
    get: () => now,
    set(next: Place) {
      if (next !== now && !ARROWS[now].includes(next)) strays.push(`${now} -> ${next}`)
      now = next
    },
  })
}

class Chaos {
  readonly pool: FakePool
  readonly submitted: Submitted[] = []
  readonly controllers: AbortController[] = []
  /** Starts by number of the task. */
  readonly starts = new Map<number, number>()
  readonly retried = new Set<number>()
  /** Ways from place to place that no table has. */
  readonly strays: string[] = []

  constructor(mode: 'central' | 'push') {
    this.pool = FakePool.loaded({
      workers: { min: 1, max: 3 },
      mode,
      graceMs: 20,
      gates: { few: { concurrency: 2 } },
      maxTasksPerWorker: 40,
      idleMs: 500,
      closeTimeoutMs: 700,
    })
    this.pool.onTask = (task) => watchPlaces(task, this.strays)
  }

  step([what, who, how]: Step): unknown {
    const { pool } = this
    const { workers } = pool.core.crew
    // Those that drain beside their successors too.
    const lives = [...livesOf(workers)]
    const worker = lives[who % lives.length]!
    const { slot } = worker
    const thread = threadOf(worker)
    switch (what) {
      case 'run':
        return this.#run(how % 2 === 0 ? 'work' : 'other', {})
      case 'run i/o':
        return this.#run('fetch', {})
      case 'run urgent':
        return this.#run('work', { priority: how % 4 })
      case 'run with limits':
        return this.#run(how % 2 === 0 ? 'work' : 'fetch', {
          runTimeoutMs: how % 30,
          deadlineMs: how,
          queueTimeoutMs: how / 2,
        })
      case 'run with retries':
        this.retried.add(this.submitted.length)
        return this.#run('work', { retries: { times: 2, on: 'any', backoffMs: how % 20 } })
      case 'run moved':
        return this.#run('work', { transfer: [new ArrayBuffer(8)] })
      case 'run tagged':
        return this.#run(how % 2 === 0 ? 'work' : 'fetch', {
          tag: `tag ${how % 3}`,
          delayMs: how % 5 === 0 ? how : undefined,
        })
      case 'run later':
        return this.#run('work', { delayMs: how / 2, deadlineMs: how % 2 === 0 ? 3 : undefined })
      case 'run on one':
        return this.#run(how % 2 === 0 ? 'work' : 'fetch', { slot })
      case 'run gated':
        return this.#run(how % 2 === 0 ? 'work' : 'fetch', { gate: 'few', priority: how % 3, tag: `tag ${how % 3}` })
      case 'reorder':
        return pool.core.setPriority(`tag ${who % 3}`, how % 7)
      case 'cancel':
        return how % 5 === 0 ? pool.core.earlyEnds.cancel(`tag ${who % 3}`, how) : undefined
      case 'pause':
        return pool.core.router.pause()
      case 'resume':
        return pool.core.router.resume()
      case 'abort':
        return this.controllers[who % Math.max(1, this.controllers.length)]?.abort()
      case 'start':
      case 'start i/o':
        return this.#start(worker, what === 'start' ? 'cpu' : 'io')
      case 'end':
      case 'fail': {
        const held = thread?.running[how % Math.max(1, thread.running.length)]
        if (held === undefined) return undefined
        if (what === 'end') return thread!.end(held, held.payload, 1, how % 9)
        return thread!.fail(held, new Error('thrown'), how % 9)
      }
      case 'answer':
        return thread?.answer()
      case 'deliver':
        return pool.deliver()
      case 'beat':
        return thread?.beat()
      case 'pass':
        return pool.clock.advance(how / 10)
      case 'pass long':
        return pool.clock.advance(how * 5)
      case 'die':
        return how % 4 === 0 ? thread?.die({ exitCode: how }) : undefined
      case 'load':
        return pool.load()
      case 'stop':
        return pool.finishStops()
      case 'recycle':
        return pool.core.crew.recycle(worker)
      case 'replace':
        return pool.core.crew.replace(worker)
      case 'resize':
        return pool.core.resize({ min: how % 2, max: 1 + (who % 4) })
    }
  }

  /** Tasks in all places; each must stand where it says. */
  get held(): number {
    let held = 0
    for (const [place, holder] of Object.entries(this.pool.core.holders)) {
      for (const task of holder) if (task.place === place) held++
    }
    return held
  }

  /** Everything that is still on its way comes to its end. */
  async finish(): Promise<void> {
    const { pool } = this
    pool.core.router.resume()
    // Whoever came to a gate first has begun to load what keeps it.
    await import('p-queue')
    for (let round = 0; round < 60 && pool.core.ledger.unsettled > 0; round++) {
      pool.load()
      while (this.#workOff()) {}
      pool.finishStops()
      pool.clock.advance(200)
      // What has passed a gate and settled lets the next one in, some turns later.
      await new Promise(setImmediate)
    }
  }

  /** Every live thread runs what it holds; true if any had something to say. */
  #workOff(): boolean {
    const { pool } = this
    pool.deliver()
    let any = false
    for (const worker of [...livesOf(pool.core.crew.workers)]) {
      const thread = threadOf(worker)
      if (thread === undefined) continue
      for (;;) {
        while (this.#start(worker, 'io')) {}
        this.#start(worker, 'cpu')
        if (thread.running.length === 0) break
        for (const held of [...thread.running]) thread.end(held, held.payload)
      }
      // Answers that a message was skipped let a held worker go: it may have got work by now.
      if (thread.answer()) any = true
      thread.beat()
    }
    pool.deliver()
    return any
  }

  #run(name: string, options: TaskOptions): void {
    const number = this.submitted.length
    const { transfer } = options
    const controller = number % 3 === 0 ? new AbortController() : undefined
    if (controller !== undefined) this.controllers.push(controller)
    const payload = { number, buffer: transfer?.[0] }
    this.submitted.push(this.pool.run(name, payload, { ...options, signal: controller?.signal }))
  }

  #start(worker: PoolWorker, kind: 'cpu' | 'io'): boolean {
    const thread = threadOf(worker)
    // One CPU task holds the turn at a time.
    if (thread === undefined || (kind === 'cpu' && thread.running.some((held) => held.kind === 'cpu'))) return false
    const held = thread.start(kind)
    if (held === undefined) return false
    const { number } = held.payload as { number: number }
    this.starts.set(number, (this.starts.get(number) ?? 0) + 1)
    return true
  }
}

function threadOf({ lane, thread }: PoolWorker): FakeThread | undefined {
  return lane === undefined ? undefined : (thread as FakeThread)
}

const step: fc.Arbitrary<Step> = fc.tuple(fc.constantFrom(...STEPS), fc.nat(1_000), fc.nat(100))

test.each(['central', 'push'] as const)(
  'whatever happens in whatever order, every task settles once and starts at most once unless asked (%s)',
  async (mode) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 250 }), async (steps) => {
        const chaos = new Chaos(mode)
        try {
          for (const [index, each] of steps.entries()) {
            chaos.step(each)
            if (index % 7 === 0) await undefined
            expect(chaos.held).toBe(chaos.pool.core.ledger.unsettled)
          }
          await chaos.finish()
          expect(
            chaos.submitted
              .filter(({ ends }) => ends.length !== 1)
              .map(({ task, ends }) => [task.sequence, task.place, ends]),
          ).toEqual([])
          expect(chaos.strays).toEqual([])
          expect([...chaos.starts].filter(([number, count]) => count > (chaos.retried.has(number) ? 3 : 1))).toEqual([])
          for (const [number, { ends }] of chaos.submitted.entries()) {
            if (ends[0]![0] === 'ok') expect(ends[0]![1]).toMatchObject({ number })
          }
          const { core } = chaos.pool
          expect([core.ledger.unsettled, core.router.waiting, core.earlyEnds.watched]).toEqual([0, 0, 0])
        } finally {
          chaos.pool.dispose()
        }
      }),
      { numRuns: 150 },
    )
  },
  60_000,
)
