import { afterEach, describe, expect, test } from 'vitest'
import type { DispatcherOptions } from '../../../src/dispatcher/options/options.js'
import { Placement } from '../../../src/dispatcher/routing/placement.js'
import { Router } from '../../../src/dispatcher/routing/router.js'
import { WorkerView } from '../../../src/dispatcher/routing/worker-view.js'
import type { Task } from '../../../src/dispatcher/tasks/task.js'
import { createStrategy } from '../../../src/selection/index.js'
import { FakeCrew } from '../../support/fake-crew.js'
import { FakePool } from '../../support/fake-pool.js'
import { newTask, newTasks, statsOf } from '../../support/new-task.js'

class Scene {
  readonly crew: FakeCrew
  readonly router: Router
  readonly unknown: Task[] = []
  readonly limited: Task[] = []
  readonly unplaced: Task[] = []
  readonly gated: Task[] = []

  constructor(size: number, options: Partial<DispatcherOptions> = {}) {
    this.crew = new FakeCrew(size, { strategy: 'round-robin', ...options })
    const { workers, options: resolved, clock } = this.crew
    const view = new WorkerView(workers, resolved, clock)
    const keyed = createStrategy('consistent-hash', { random: () => 0.5 })
    const placement = new Placement(workers, view, resolved, keyed, clock, () => {})
    const crew = { workers, alive: size, range: { min: size, max: size }, ensure: () => {} }
    this.router = new Router(crew, resolved, placement, clock, {
      unknownTask: (task) => this.unknown.push(task),
      unplaced: (task) => this.unplaced.push(task),
      posted: (task) => this.limited.push(task),
      gated: (task) => this.gated.push(task),
    })
    this.router.learnKinds()
  }

  submit(...tasks: readonly Task[]): void {
    for (const task of tasks) this.router.submit(task)
  }

  /** What each worker has been sent, one list of payloads per message. */
  sent(slot: number): unknown[] {
    const thread = this.crew.thread(slot)
    thread.receive()
    return thread.inbox.map(({ payload }) => payload)
  }

  /** The worker runs all it has, and its answers are taken in. */
  run(slot: number): void {
    this.crew.thread(slot).runAll('io')
    this.crew.thread(slot).runAll('cpu')
    this.crew.lane(slot).readAnswers()
    if (this.crew.lane(slot).outstanding === 0 && this.crew.worker(slot).state === 'busy') {
      this.crew.worker(slot).state = 'idle'
    }
  }
}

let scene: Scene
afterEach(() => scene.crew.dispose())

function sceneOf(size: number, options?: Partial<DispatcherOptions>): Scene {
  scene = new Scene(size, options)
  return scene
}

test('a task with a gate that comes back has to pass it again', () => {
  sceneOf(1)
  const [gated, free] = [newTask({ options: { gate: 'api' } }), newTask()]
  scene.router.putBack(gated)
  scene.router.putBack(free)
  expect([scene.gated, [...scene.router.queues.cpu]]).toEqual([[gated], [free]])
  scene.router.queue(gated)
  expect(scene.router.waiting).toBe(2)
})

describe('a submitted task', () => {
  test('for an idle worker is on its way before the call returns', () => {
    const { crew } = sceneOf(2)
    const task = newTask({ payload: 'first' })
    scene.submit(task)
    expect(task).toMatchObject({ place: 'lane', slot: 0 })
    expect(crew.worker(0).state).toBe('busy')
    expect(scene.sent(0)).toEqual(['first'])
  })

  test('for a busy one leaves at the end of the turn, together with the others', async () => {
    const { crew } = sceneOf(1)
    scene.submit(...newTasks(5, { stats: statsOf('work', 'cpu', 0.01, 50) }))
    expect(scene.sent(0)).toEqual([0])
    await undefined
    expect(scene.sent(0)).toEqual([0, 1, 2, 3, 4])
    expect(crew.thread(0).batches.map((batch) => batch.length)).toEqual([1, 4])
  })

  test('leaves earlier when 64 are unsent', () => {
    const { crew } = sceneOf(1)
    scene.submit(...newTasks(100, { stats: statsOf('work', 'cpu', 0.001, 50) }))
    scene.sent(0)
    expect(crew.thread(0).batches.map((batch) => batch.length)).toEqual([1, 64])
    scene.router.flush()
    scene.sent(0)
    expect(crew.thread(0).batches.map((batch) => batch.length)).toEqual([1, 64, 35])
  })

  test.each(['central', 'push'] as const)(
    '%s: what a getter of its payload submits is posted after it',
    async (mode) => {
      const { crew, router } = sceneOf(1, { mode, window: 8 })
      const stats = statsOf('work', 'cpu', 0.01, 50)
      const tasks = newTasks(5, { stats })
      const [, sharing, submitted, alone, given] = tasks as [Task, Task, Task, Task, Task]
      const payloadOf = (number: number, act: () => void) => {
        let acts = 0
        return {
          get n() {
            if (acts++ === 0) act()
            return number
          },
        }
      }
      Object.assign(sharing, { payload: payloadOf(1, () => scene.submit(submitted)) })
      // Read while its message is written.
      Object.assign(alone, { payload: payloadOf(3, () => router.submitTo(crew.worker(0), given)), travelsAlone: true })
      scene.submit(tasks[0]!, sharing, alone)
      for (let turn = 0; turn < 4; turn++) await undefined
      const sent = scene
        .sent(0)
        .map((payload) => (typeof payload === 'number' ? payload : (payload as { n: number }).n))
      expect([...crew.lane(0).cpu].map((task) => tasks.indexOf(task))).toEqual(sent)
      expect([router.waiting, [...sent].sort()]).toEqual([0, [0, 1, 2, 3, 4]])
    },
  )

  test('without room waits, and goes when there is some', () => {
    const { router } = sceneOf(1)
    const tasks = newTasks(5)
    scene.submit(...tasks)
    expect(router.waiting).toBe(3)
    expect(tasks.map(({ place }) => place)).toEqual(['lane', 'lane', 'queue', 'queue', 'queue'])
    router.flush()
    scene.run(0)
    router.drain()
    router.flush()
    expect(scene.sent(0)).toEqual([2, 3])
    expect(router.waiting).toBe(1)
  })

  test('does not overtake one that waits', () => {
    const { router, crew } = sceneOf(1)
    scene.submit(...newTasks(3))
    router.flush()
    scene.run(0)
    const late = newTask({ payload: 'late', sequence: 9 })
    scene.submit(late)
    expect(late.place).toBe('queue')
    router.drain()
    router.flush()
    expect(scene.sent(0)).toEqual([2, 'late'])
    expect(crew.lane(0).outstanding).toBe(2)
  })

  test('of I/O does not wait behind CPU tasks that have no room', () => {
    const { router } = sceneOf(1)
    scene.submit(...newTasks(4))
    scene.submit(newTask({ kind: 'io', name: 'fetch', payload: 'io', sequence: 10 }))
    router.flush()
    expect(scene.sent(0)).toEqual([0, 1, 'io'])
    expect([router.queues.cpu.size, router.queues.io.size]).toEqual([2, 0])
  })

  test('of a name that is not offered is refused, and in no list then', () => {
    const { router, unknown } = sceneOf(1)
    const task = newTask({ name: 'typo' })
    scene.submit(task)
    expect(unknown).toEqual([task])
    expect([router.waiting, scene.crew.lane(0).outstanding, task.previous, task.next]).toEqual([
      0,
      0,
      undefined,
      undefined,
    ])
  })

  test('with a time limit is reported when it is posted, not before', () => {
    const { router, limited } = sceneOf(1)
    const tasks = newTasks(3, { options: { runTimeoutMs: 5 } })
    scene.submit(...tasks)
    expect(limited).toEqual(tasks.slice(0, 2))
    router.flush()
    scene.run(0)
    router.drain()
    expect(limited).toEqual(tasks)
  })
})

describe('before the kinds are known', () => {
  test('everything waits; then it is sorted into its queue in the order of submission', () => {
    const { router } = sceneOf(1)
    router.kindsKnown = false
    const stats = statsOf('fetch')
    const tasks = [newTask({ stats, sequence: 0 }), newTask({ sequence: 1 }), newTask({ stats, sequence: 2 })]
    scene.submit(...tasks)
    router.drain()
    expect([router.queues.cpu.size, router.queues.io.size]).toEqual([3, 0])
    stats.kind = 'io'
    router.learnKinds()
    expect([router.queues.cpu.size, router.queues.io.size]).toEqual([1, 2])
    expect([...router.queues.io].map(({ sequence }) => sequence)).toEqual([0, 2])
    router.drain()
    expect(router.waiting).toBe(0)
  })

  test('one whose kind has changed while it waits is found in the queue it went into', () => {
    const { router } = sceneOf(1)
    router.kindsKnown = false
    const task = newTask()
    scene.submit(task)
    task.stats.kind = 'io'
    router.queues.remove(task)
    expect(router.waiting).toBe(0)
  })
})

describe('a task that comes back', () => {
  test('goes before those that were submitted after it', () => {
    const { router, crew } = sceneOf(1)
    const tasks = newTasks(5)
    scene.submit(...tasks)
    const taken = crew.lane(0).takeBack(crew.lane(0).cpu)
    for (const task of taken) router.putBack(task)
    expect(taken.map(({ place, slot }) => [place, slot])).toEqual([
      ['queue', -1],
      ['queue', -1],
    ])
    expect([...router.queues.cpu].map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4])
  })
})

describe('a task with a transfer list', () => {
  const moved = (payload: ArrayBuffer) => newTask({ payload, options: { transfer: [payload] } })

  test('goes at once to an idle worker, its objects with it', () => {
    sceneOf(1)
    const buffer = new ArrayBuffer(8)
    scene.submit(moved(buffer))
    expect(buffer.byteLength).toBe(0)
    expect((scene.sent(0)[0] as ArrayBuffer).byteLength).toBe(8)
  })

  test('else keeps a worker for itself, which gets nothing more until it is idle', () => {
    const { router, crew } = sceneOf(2)
    scene.submit(...newTasks(2))
    const task = moved(new ArrayBuffer(8))
    scene.submit(task)
    expect(crew.worker(0).reserved).toBe(task)
    expect(task).toMatchObject({ place: 'reservation', slot: 0 })
    scene.submit(...newTasks(3, { payload: 'later' }))
    router.flush()
    expect(scene.sent(0)).toEqual([0])
    expect(scene.sent(1)).toEqual([1, 'later'])
    router.postReserved(crew.worker(0))
    expect(task.place).toBe('reservation')
    scene.run(0)
    router.postReserved(crew.worker(0))
    expect(task.place).toBe('lane')
    expect(crew.worker(0).reserved).toBeUndefined()
  })

  test('gives the worker free when it is removed', () => {
    const { router, crew } = sceneOf(1)
    scene.submit(newTask())
    const task = moved(new ArrayBuffer(8))
    scene.submit(task)
    router.kept.reservations.remove(task)
    expect(crew.worker(0).reserved).toBeUndefined()
    expect(task.slot).toBe(-1)
  })
})

describe('plain push', () => {
  test('sends at once whatever the worker holds; beyond its claim words tasks keep their order in its backlog', () => {
    const { router, crew } = sceneOf(1, { mode: 'push' })
    const tasks = newTasks(600)
    scene.submit(...tasks)
    expect(router.waiting).toBe(0)
    expect([crew.lane(0).outstanding, crew.worker(0).backlog.size]).toEqual([512, 88])
    expect(tasks.every(({ place, slot }, index) => place === (index < 512 ? 'lane' : 'backlog') && slot === 0)).toBe(
      true,
    )
    router.flush()
    const first = crew.thread(0).start()!
    crew.thread(0).end(first, 1)
    crew.thread(0).answer()
    crew.lane(0).readAnswers()
    router.drainBacklog(crew.worker(0))
    router.flush()
    expect(scene.sent(0).at(-1)).toBe(512)
    expect(crew.worker(0).backlog.size).toBe(87)
  })

  test('waits only while there is no worker', () => {
    const { router, crew } = sceneOf(1, { mode: 'push' })
    crew.worker(0).state = 'draining'
    scene.submit(newTask())
    expect(router.waiting).toBe(1)
  })
})

describe('a pause', () => {
  let pool: FakePool
  afterEach(() => pool.dispose())

  test('a pause takes back what has not started, and starts nothing more', () => {
    pool = FakePool.loaded({ workers: 2, window: 2 })
    for (let index = 0; index < 6; index++) pool.run('work', index)
    pool.deliver()
    const running = [0, 1].map((slot) => pool.thread(slot).start()!)
    pool.core.router.pause()
    expect(pool.core.router.waiting).toBe(4)
    for (const slot of [0, 1]) {
      pool.thread(slot).end(running[slot]!, 'done')
      pool.thread(slot).answer()
    }
    pool.runAll()
    expect(pool.core.ledger).toMatchObject({ completed: 2, unsettled: 4 })
    expect(pool.run('work', 'new').task.place).toBe('queue')
    pool.core.router.resume()
    pool.runAll()
    expect(pool.core.ledger).toMatchObject({ completed: 7, unsettled: 0 })
  })

  test('a pause keeps what waits for an idle worker, and its order', () => {
    pool = FakePool.loaded({ workers: 1, window: 2 })
    const order: unknown[] = []
    pool.run('work', 0)
    const buffer = new ArrayBuffer(8)
    const moved = pool.run('work', buffer, { transfer: [buffer] })
    moved.task.resolve = () => void order.push('moved')
    pool.run('work', 1).task.resolve = () => void order.push('copied')
    pool.core.router.pause()
    expect(pool.worker(0).reserved).toBeUndefined()
    pool.core.router.resume()
    pool.runAll()
    expect(order).toEqual(['moved', 'copied'])
  })

  test('in push mode what a worker has no claim word for waits too', () => {
    pool = FakePool.loaded({ workers: 1, mode: 'push' })
    for (let index = 0; index < 600; index++) pool.run('work', index)
    expect(pool.worker(0).backlog.size).toBeGreaterThan(0)
    pool.core.router.pause()
    expect([pool.worker(0).outstanding, pool.core.router.waiting]).toEqual([0, 600])
    pool.core.router.resume()
    // First the messages that were taken back come home, and with them the claim words.
    pool.runAll()
    pool.runAll()
    expect(pool.core.ledger.completed).toBe(600)
  })
})
