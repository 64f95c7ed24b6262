import { afterEach, describe, expect, test } from 'vitest'
import type { DispatcherOptions } from '../../../src/dispatcher/options/options.js'
import { Placement, StrategyGuard } from '../../../src/dispatcher/routing/placement.js'
import { WorkerView } from '../../../src/dispatcher/routing/worker-view.js'
import type { Task } from '../../../src/dispatcher/tasks/task.js'
import { createStrategy } from '../../../src/selection/index.js'
import type { LoadView, SelectionStrategy } from '../../../src/selection/load-view.js'
import { FakeClock } from '../../support/fake-clock.js'
import { FakeCrew } from '../../support/fake-crew.js'
import { FakeLoadView } from '../../support/fake-load-view.js'
import { newTask, newTasks, statsOf } from '../../support/new-task.js'

/** Notes which workers it was offered and takes the first. */
class FirstCandidate implements SelectionStrategy {
  readonly name: string = 'first'
  readonly offers: number[][] = []
  answer: number | undefined
  changes = 0

  pick(view: LoadView): number {
    const offered = Array.from({ length: view.size }, (_, slot) => slot).filter((slot) => view.isCandidate(slot))
    this.offers.push(offered)
    return this.answer ?? offered[0] ?? -1
  }

  membershipChanged(): void {
    this.changes++
  }
}

class Scene {
  readonly strategy = new FirstCandidate()
  readonly crew: FakeCrew
  readonly placement: Placement
  readonly errors: unknown[] = []

  constructor(size: number, options: Partial<DispatcherOptions> = {}) {
    this.crew = new FakeCrew(size, { strategy: this.strategy, ...options })
    const { workers, options: resolved, clock } = this.crew
    const view = new WorkerView(workers, resolved, clock)
    const keyed = createStrategy('consistent-hash', { random: () => 0.5 })
    this.placement = new Placement(workers, view, resolved, keyed, clock, (error) => this.errors.push(error))
  }

  pick(task: Task = newTask()): number | undefined {
    return this.placement.pick(task)?.slot
  }
}

let scene: Scene
afterEach(() => scene.crew.dispose())

function sceneOf(size: number, options?: Partial<DispatcherOptions>): Scene {
  scene = new Scene(size, options)
  return scene
}

describe('candidates', () => {
  test('are the ready workers with room; the strategy chooses among them', () => {
    const { crew, strategy } = sceneOf(4)
    for (const slot of [0, 1, 2, 3]) crew.post(slot, newTask())
    crew.post(2, newTask())
    expect(scene.pick()).toBe(0)
    expect(strategy.offers).toEqual([[0, 1, 3]])
  })

  test('if any of them is idle, only the idle ones', () => {
    const { crew, strategy } = sceneOf(4)
    crew.post(0, newTask())
    crew.post(2, newTask())
    expect(scene.pick()).toBe(1)
    expect(strategy.offers).toEqual([[1, 3]])
  })

  test('a single one needs no strategy, none gives nothing', () => {
    const { crew, strategy } = sceneOf(2)
    crew.post(0, ...newTasks(2))
    expect(scene.pick()).toBe(1)
    crew.post(1, ...newTasks(2))
    expect(scene.pick()).toBeUndefined()
    expect(strategy.offers).toEqual([])
  })

  test.each([
    ['held', (worker: FakeCrew['workers'][number]) => (worker.heldBy = -1)],
    ['reserved', (worker: FakeCrew['workers'][number]) => (worker.reserved = newTask())],
    ['penalised', (worker: FakeCrew['workers'][number]) => (worker.penalised = true)],
    ['draining', (worker: FakeCrew['workers'][number]) => (worker.state = 'draining')],
    ['ejected', (worker: FakeCrew['workers'][number]) => (worker.state = 'ejected')],
  ])('no worker that is %s', (_what, make) => {
    const { crew } = sceneOf(1)
    expect(scene.placement.hasIdle).toBe(true)
    make(crew.worker(0))
    expect(scene.pick()).toBeUndefined()
    expect(scene.placement.hasIdle).toBe(false)
    expect(scene.placement.pickIdle()).toBeUndefined()
  })

  test('suspect and ejected ones only while their signals are ignored; stalled and held ones never', () => {
    const { crew, placement } = sceneOf(4)
    crew.worker(0).state = 'busy'
    crew.worker(0).state = 'suspect'
    crew.worker(1).state = 'ejected'
    crew.worker(2).state = 'busy'
    crew.worker(2).state = 'suspect'
    crew.worker(2).state = 'stalled'
    crew.worker(3).heldBy = -1
    expect(scene.pick()).toBeUndefined()
    placement.failOpen = true
    expect(scene.pick()).toBe(0)
    expect(scene.strategy.offers).toEqual([[0, 1]])
  })

  test('a strategy of the user that answers nonsense is reported once, and the first candidate serves', () => {
    const { crew, strategy, errors } = sceneOf(3)
    crew.post(2, ...newTasks(2))
    for (const answer of [2, 3, 99, -2, Number.NaN, 0.5, '0', null, {}]) {
      strategy.answer = answer as number
      expect(scene.pick()).toBe(0)
    }
    expect(errors).toEqual([expect.objectContaining({ code: 'EVENKEEL_STRATEGY' })])
  })

  test('one that answers -1 has chosen nobody', () => {
    const { strategy, errors } = sceneOf(3)
    strategy.answer = -1
    expect([scene.pick(), errors]).toEqual([undefined, []])
  })

  test('one that shuts out the worker that it chooses is not followed', () => {
    const { crew, strategy } = sceneOf(3)
    strategy.pick = () => {
      expect(scene.placement.isBusy).toBe(true)
      crew.worker(1).state = 'draining'
      return 1
    }
    expect(scene.pick()).toBe(0)
    expect(scene.placement.isBusy).toBe(false)
  })
})

test('a strategy that throws is reported, and the first candidate serves', () => {
  const { crew, strategy, errors } = sceneOf(3)
  for (const slot of [0, 1, 2]) crew.post(slot, newTask())
  crew.worker(0).heldBy = -1
  const boom = new Error('boom')
  strategy.pick = () => {
    throw boom
  }
  expect(scene.pick()).toBe(1)
  expect(errors).toEqual([boom])
})

describe('I/O beside CPU', () => {
  test('an I/O task keeps away from workers that compute, a CPU task from those with I/O in flight', () => {
    const { crew, strategy } = sceneOf(3)
    crew.post(0, newTask())
    crew.post(1, newTask({ kind: 'io', name: 'fetch' }))
    crew.post(2, newTask({ kind: 'io', name: 'fetch' }))
    expect(scene.pick(newTask({ kind: 'io', name: 'fetch' }))).toBe(1)
    expect(strategy.offers).toEqual([[1, 2]])
    expect(scene.pick()).toBe(0)
    expect(strategy.offers).toHaveLength(1)
  })

  test('when there is no other, it goes there all the same', () => {
    const { crew, strategy } = sceneOf(2)
    for (const slot of [0, 1]) crew.post(slot, newTask())
    expect(scene.pick(newTask({ kind: 'io', name: 'fetch' }))).toBe(0)
    expect(strategy.offers).toEqual([[0, 1]])
  })
})

describe('among idle workers', () => {
  const short = statsOf('work', 'cpu', 0.01, 50)

  test('the default takes the one idle for longest, a short task the one that ran just now', () => {
    const { crew } = sceneOf(3, { strategy: 'range-table' })
    crew.clock.advance(100)
    const nowMs = crew.clock.nowMs()
    for (const [slot, idleForMs] of [5, 50, 0.1].entries()) crew.worker(slot).idleSinceMs = nowMs - idleForMs
    expect(scene.pick()).toBe(1)
    expect(scene.pick(newTask({ stats: short }))).toBe(2)
    crew.clock.advance(0.2)
    scene.placement.endChunk()
    expect(scene.pick(newTask({ stats: short }))).toBe(1)
  })
})

describe('a chunk', () => {
  const short = statsOf('work', 'cpu', 0.001, 50)
  const longer = statsOf('work', 'cpu', 0.04, 50)

  /** Picks and posts so many; how often the strategy was asked. */
  function place(count: number, stats = short): number {
    const before = scene.strategy.offers.length
    for (const task of newTasks(count, { stats })) scene.crew.post(scene.pick(task)!, task)
    return scene.strategy.offers.length - before
  }

  test('is at most 64 tasks by one pick', () => {
    sceneOf(2)
    expect(place(64)).toBe(1)
    expect(scene.crew.lane(0).cpu.size).toBe(64)
    // The other worker is idle and the only one of its kind.
    place(64)
    expect(scene.crew.lane(1).cpu.size).toBe(64)
    expect(place(64)).toBe(1)
  })

  test('is at most 0.1 ms of expected work', () => {
    sceneOf(3)
    place(2, longer)
    expect(scene.crew.workers.map(({ outstanding }) => outstanding)).toEqual([2, 0, 0])
    place(1, longer)
    expect(scene.crew.workers.map(({ outstanding }) => outstanding)).toEqual([2, 1, 0])
  })

  test('ends when it is told to, when its worker is shut out, and when members change', () => {
    const { crew, placement } = sceneOf(3)
    place(1)
    placement.endChunk()
    place(1)
    expect(crew.workers.map(({ outstanding }) => outstanding)).toEqual([1, 1, 0])
    crew.worker(1).heldBy = -1
    place(1)
    expect(crew.workers.map(({ outstanding }) => outstanding)).toEqual([1, 1, 1])
    placement.membershipChanged()
    expect(scene.strategy.changes).toBe(1)
    expect(place(1)).toBe(1)
  })

  test('of a name without history is one task; of I/O as well', () => {
    const { crew } = sceneOf(3)
    place(2, statsOf('work'))
    expect(crew.workers.map(({ outstanding }) => outstanding)).toEqual([1, 1, 0])
    crew.post(2, newTask())
    place(2, statsOf('fetch', 'io', 0.001, 50))
    expect(scene.strategy.offers.at(-1)).toEqual([0, 1, 2])
  })
})

describe('keyed tasks', () => {
  const keyed = (key: string) => newTask({ options: { key } })

  test('of one key go to one worker while it has room, idle or not', () => {
    const { crew, strategy } = sceneOf(3)
    const home = scene.pick(keyed('a'))!
    crew.post(home, newTask())
    expect(scene.pick(keyed('a'))).toBe(home)
    crew.post(home, newTask())
    const second = scene.pick(keyed('a'))
    expect(second).not.toBe(home)
    expect(scene.pick(keyed('a'))).toBe(second)
    expect(strategy.offers).toEqual([])
  })

  test('of many keys reach all workers', () => {
    sceneOf(3)
    const slots = Array.from({ length: 60 }, (_, index) => scene.pick(keyed(`key ${index}`)))
    expect(new Set(slots)).toEqual(new Set([0, 1, 2]))
  })

  test('wait when nobody has room', () => {
    const { crew } = sceneOf(1)
    crew.post(0, ...newTasks(2))
    expect(scene.pick(keyed('a'))).toBeUndefined()
  })
})

describe('a task with a transfer list', () => {
  test('goes to an idle worker, or is kept for the one with least expected work', () => {
    const { crew, placement } = sceneOf(2)
    crew.post(0, newTask())
    expect(placement.pickIdle()).toEqual({ worker: crew.worker(1), idle: true })
    crew.post(1, ...newTasks(2))
    expect(placement.pickIdle()).toEqual({ worker: crew.worker(0), idle: false })
  })
})

describe('plain push', () => {
  test('the strategy alone decides over all live workers, room or health notwithstanding', () => {
    const { crew, placement, strategy } = sceneOf(4, { mode: 'push' })
    crew.post(0, ...newTasks(50))
    crew.worker(0).state = 'suspect'
    crew.worker(1).heldBy = -1
    crew.worker(2).state = 'draining'
    expect(placement.pickAny(newTask())!.slot).toBe(0)
    expect(strategy.offers).toEqual([[0, 1, 3]])
  })

  test('without a live worker nobody is asked', () => {
    const { crew, placement, strategy } = sceneOf(1, { mode: 'push' })
    crew.worker(0).state = 'draining'
    expect(placement.pickAny(newTask())).toBeUndefined()
    expect(strategy.offers).toEqual([])
  })
})

describe('a strategy of the user', () => {
  const view = new FakeLoadView(3)

  function guardOf() {
    const clock = new FakeClock()
    const faults: unknown[] = []
    return { clock, faults, guard: new StrategyGuard(clock, (error) => faults.push(error)) }
  }

  test('a candidate’s index is handed on, -1 too, and nothing else', () => {
    const { guard, faults } = guardOf()
    const ask = (answer: unknown) => guard.ask({ name: 'own', pick: () => answer as number }, view, {})
    expect([ask(2), ask(-1), ask(3), ask(1.5), ask('1')]).toEqual([2, -1, undefined, undefined, undefined])
    expect(faults).toEqual([
      expect.objectContaining({ code: 'EVENKEEL_STRATEGY', message: expect.stringContaining('"own" answered 3') }),
    ])
  })

  test('each kind of fault is told once', () => {
    const { guard, faults } = guardOf()
    const fault = () => {
      throw new Error('boom')
    }
    const strategy = { name: 'own', pick: fault, membershipChanged: fault }
    for (let round = 0; round < 3; round++) {
      expect(guard.ask(strategy, view, {})).toBeUndefined()
      guard.tellMembership(strategy, view)
    }
    expect([faults, guard.isAsking]).toEqual([[new Error('boom')], false])
  })

  test('what an async strategy rejects with is told too, and is no unhandled rejection', async () => {
    const { guard, faults } = guardOf()
    const fault = async () => {
      throw new Error('boom')
    }
    const strategy = { name: 'own', pick: fault as never, membershipChanged: fault as never }
    guard.tellMembership(strategy, view)
    expect(guard.ask(strategy, view, {})).toBeUndefined()
    await new Promise(setImmediate)
    expect(faults).toEqual([expect.objectContaining({ code: 'EVENKEEL_STRATEGY' }), new Error('boom')])
  })

  test('it is known while a strategy is asked, also when that tells it of members', () => {
    const { guard } = guardOf()
    const states: boolean[] = []
    const strategy = {
      name: 'own',
      pick: () => {
        guard.tellMembership(
          { name: 'other', pick: () => 0, membershipChanged: () => states.push(guard.isAsking) },
          view,
        )
        states.push(guard.isAsking)
        return 0
      },
    }
    guard.ask(strategy, view, {})
    expect([...states, guard.isAsking]).toEqual([true, true, false])
  })

  test('nobody is a fault only after a second in which nothing ran', () => {
    const { guard, clock, faults } = guardOf()
    const strategy = { name: 'own', pick: () => -1 }
    const choose = (isBusy: boolean, afterMs: number) => {
      clock.advance(afterMs)
      guard.choseNobody(strategy, isBusy)
      return faults.length
    }
    expect([choose(false, 0), choose(false, 999), choose(true, 1_000), choose(false, 999)]).toEqual([0, 0, 0, 0])
    expect([choose(false, 1), choose(false, 5_000)]).toEqual([1, 1])
    expect(faults[0]).toMatchObject({ code: 'EVENKEEL_STRATEGY', message: expect.stringContaining('nobody') })
  })
})
