import { afterEach, describe, expect, test } from 'vitest'
import { EvenkeelError } from '../../src/base/errors.js'
import { Crew } from '../../src/dispatcher/crew.js'
import type { DispatcherOptions } from '../../src/dispatcher/options.js'
import type { PoolWorker } from '../../src/dispatcher/pool-worker.js'
import { FakeClock } from '../support/fake-clock.js'
import { optionsOf, RecordingOwner } from '../support/fake-crew.js'
import { FakeSupervisor } from '../support/fake-supervisor.js'
import type { FakeThread } from '../support/fake-thread.js'
import { newTask } from '../support/new-task.js'

class Scene {
  readonly clock = new FakeClock()
  readonly supervisor = new FakeSupervisor(this.clock)
  readonly news: unknown[][] = []
  readonly crew: Crew

  constructor(options: Partial<DispatcherOptions>) {
    this.crew = new Crew(optionsOf(options), this.supervisor, this.clock, new RecordingOwner(), {
      ready: ({ slot }, names) => this.news.push(['ready', slot, names]),
      loadFailed: (error) => this.news.push(['loadFailed', error]),
      lost: ({ slot }, lane, cause) => this.news.push(['lost', slot, lane === undefined, cause.exitCode]),
      retiring: ({ slot }) => this.news.push(['retiring', slot]),
      restarting: ({ slot }, delayMs) => this.news.push(['restarting', slot, delayMs]),
    })
  }

  get states(): string[] {
    return this.crew.workers.map(({ state }) => state)
  }

  get started(): number {
    return this.supervisor.threads.length
  }

  worker(slot: number): PoolWorker {
    return this.crew.workers[slot]!
  }

  thread(slot: number): FakeThread {
    return this.supervisor.at(slot)
  }

  /** All threads that boot are up, as the lane's owner would tell the crew. */
  load(): void {
    for (const worker of this.crew.workers) {
      if (worker.state !== 'starting') continue
      this.thread(worker.slot).hello()
      this.crew.loaded(worker, ['work'], ['cpu'])
    }
  }

  hold(slot: number): void {
    this.worker(slot).state = 'busy'
    this.worker(slot).lane!.post(newTask(), this.clock.nowMs())
    this.worker(slot).lane!.flush()
  }

  finish(slot: number): void {
    this.thread(slot).knows(['work']).runAll()
    this.worker(slot).lane!.readPort()
    this.crew.settleDraining(this.worker(slot))
  }
}

let scene: Scene
afterEach(() => scene.supervisor.dispose())

function sceneOf(options: Partial<DispatcherOptions>): Scene {
  scene = new Scene(options)
  scene.crew.ensure(0)
  return scene
}

describe('how many threads', () => {
  test('the minimum at once, more only for work that waits, never beyond the maximum', () => {
    const { crew } = sceneOf({ workers: { min: 1, max: 4 } })
    expect([scene.started, crew.alive, crew.ready, crew.isReady]).toEqual([1, 1, 0, false])
    scene.load()
    expect([crew.ready, crew.isReady]).toEqual([1, true])
    crew.ensure(0)
    expect(scene.started).toBe(1)
    crew.ensure(2)
    expect(scene.started).toBe(3)
    // Those that boot already will take as many.
    crew.ensure(2)
    expect(scene.started).toBe(3)
    crew.ensure(100)
    expect(scene.started).toBe(4)
  })

  test('with a minimum of nothing the first starts when work waits', () => {
    const { crew } = sceneOf({ workers: { min: 0, max: 2 } })
    expect([scene.started, crew.isReady]).toEqual([0, false])
    crew.ensure(1)
    expect(scene.started).toBe(1)
  })

  test('each thread is told its slot and what the options say', () => {
    sceneOf({ workers: 2, ioWindow: 7 })
    expect(scene.supervisor.threads.map(({ settings }) => settings)).toMatchObject([
      { slot: 0, moduleUrl: 'file:///tasks.js', ioWindow: 7 },
      { slot: 1, moduleUrl: 'file:///tasks.js', ioWindow: 7 },
    ])
  })

  test('growing starts the missing ones at once', () => {
    const { crew } = sceneOf({ workers: 1 })
    crew.resize({ min: 3, max: 3 })
    expect(scene.states).toEqual(['starting', 'starting', 'starting'])
    expect(crew.range).toEqual({ min: 3, max: 3 })
  })

  test('shrinking ends the last ones once they have finished', () => {
    const { crew } = sceneOf({ workers: 3 })
    scene.load()
    scene.hold(2)
    crew.resize({ min: 1, max: 1 })
    expect(scene.states).toEqual(['idle', 'draining', 'draining'])
    scene.thread(1).receive()
    expect(scene.thread(1).told).toEqual([{ type: 'stop' }])
    scene.thread(2).receive()
    expect(scene.thread(2).told).toEqual([])
    scene.finish(2)
    scene.thread(2).receive()
    expect(scene.thread(2).told).toEqual([{ type: 'stop' }])
    for (const slot of [1, 2]) crew.terminate(scene.worker(slot))
    expect(scene.states).toEqual(['idle', 'dead', 'dead'])
    scene.clock.advance(60_000)
    expect(scene.started).toBe(3)
  })

  test('a thread that still boots when it is not wanted any more is ended', () => {
    const { crew } = sceneOf({ workers: 2 })
    crew.resize({ min: 1, max: 1 })
    expect(scene.states).toEqual(['starting', 'dead'])
    expect(scene.news).toEqual([
      ['retiring', 1],
      ['lost', 1, true, 1],
    ])
  })
})

describe('a thread that dies', () => {
  test('is replaced at once the first time, then with back-off, with one task at a time', () => {
    const { crew } = sceneOf({ workers: 1 })
    scene.load()
    scene.thread(0).die({ exitCode: 5 })
    expect(scene.news.slice(1)).toEqual([
      ['lost', 0, false, 5],
      ['restarting', 0, 0],
    ])
    expect(scene.states).toEqual(['starting'])
    expect(scene.worker(0)).toMatchObject({ windowLimit: 1, restarts: 1 })
    const delays: unknown[] = []
    for (let crash = 0; crash < 4; crash++) {
      scene.load()
      scene.thread(0).die()
      const [, , delayMs] = scene.news.at(-1)!
      delays.push(delayMs)
      crew.ensure(5)
      expect(scene.states).toEqual(['dead'])
      scene.clock.advance(delayMs as number)
      expect(scene.states).toEqual(['starting'])
    }
    expect(delays).toEqual([50, 100, 200, 400])
    expect(scene.clock.holding).toBe(0)
  })

  test('after it had finished tasks counts as a first death again', () => {
    sceneOf({ workers: 1 })
    for (let crash = 0; crash < 3; crash++) {
      scene.load()
      scene.worker(0).failuresToRun = 0
      scene.thread(0).die()
      expect(scene.news.at(-1)).toEqual(['restarting', 0, 0])
    }
  })

  test('beyond the minimum stays dead until work waits', () => {
    const { crew } = sceneOf({ workers: { min: 0, max: 1 } })
    crew.ensure(1)
    scene.load()
    scene.thread(0).die()
    expect(scene.states).toEqual(['dead'])
    crew.ensure(1)
    expect(scene.states).toEqual(['starting'])
  })

  test('because it was told to is no crash: its successor is trusted', () => {
    const { crew } = sceneOf({ workers: 1 })
    scene.load()
    crew.recycle(scene.worker(0))
    crew.terminate(scene.worker(0))
    expect(scene.news.at(-1)).toEqual(['restarting', 0, 0])
    expect(scene.worker(0)).toMatchObject({ windowLimit: Number.POSITIVE_INFINITY, failuresToRun: 0 })
  })
})

describe('a module that cannot be loaded', () => {
  test('ends the thread, is reported, and tried again only for waiting work, with back-off', () => {
    const { crew } = sceneOf({ workers: 1 })
    const error = new EvenkeelError('EVENKEEL_MODULE_LOAD', 'no such file')
    const fail = () => {
      scene.thread(0).hello()
      crew.failedToLoad(scene.worker(0), error)
    }
    fail()
    expect(scene.news).toContainEqual(['loadFailed', error])
    expect(scene.states).toEqual(['dead'])
    scene.clock.advance(60_000)
    crew.ensure(0)
    expect(scene.started).toBe(1)
    crew.ensure(1)
    expect(scene.started).toBe(2)
    fail()
    crew.ensure(1)
    expect(scene.started).toBe(2)
    scene.clock.advance(10_000)
    crew.ensure(1)
    expect(scene.started).toBe(3)
    scene.load()
    expect(scene.worker(0)).toMatchObject({ state: 'idle', loadFailed: false })
  })

  test('because its import ends the thread is reported with the exit code, every time', () => {
    const { crew } = sceneOf({ workers: 1 })
    for (let time = 0; time < 3; time++) {
      scene.thread(0).hello().die({ exitCode: 7 })
      scene.clock.advance(10_000)
      crew.ensure(1)
    }
    const failures = scene.news.filter(([name]) => name === 'loadFailed').map(([, error]) => error)
    expect(failures).toHaveLength(3)
    expect(failures[0]).toMatchObject({ code: 'EVENKEEL_MODULE_LOAD', exitCode: 7, slot: 0 })
  })
})

describe('draining', () => {
  test('a teardown that never ends is cut short', () => {
    const { crew } = sceneOf({ workers: 1 })
    scene.load()
    crew.retire(scene.worker(0), 'stay dead')
    scene.clock.advance(4_999)
    expect(scene.thread(0).dead).toBe(false)
    scene.clock.advance(1)
    expect(scene.thread(0).dead).toBe(true)
  })

  test('the timer of one life never ends the next', () => {
    const { crew } = sceneOf({ workers: 1 })
    scene.load()
    crew.recycle(scene.worker(0))
    crew.terminate(scene.worker(0))
    scene.load()
    scene.clock.advance(60_000)
    expect(scene.worker(0).state).toBe('idle')
    expect(scene.thread(0).terminations).toBe(0)
  })

  test('workers are recycled one after the other', () => {
    const { crew } = sceneOf({ workers: 2 })
    scene.load()
    for (const worker of crew.workers) crew.recycle(worker)
    expect(scene.states).toEqual(['draining', 'idle'])
    crew.terminate(scene.worker(0))
    expect(scene.states).toEqual(['starting', 'draining'])
  })
})

describe('closing', () => {
  test('lets every worker tear down, starts none any more, and ends with the last thread', async () => {
    const { crew } = sceneOf({ workers: 2 })
    scene.load()
    let closed = false
    const gone = crew.close().then(() => {
      closed = true
    })
    expect(scene.states).toEqual(['draining', 'draining'])
    crew.terminate(scene.worker(0))
    await undefined
    expect(closed).toBe(false)
    crew.terminate(scene.worker(1))
    await gone
    crew.ensure(9)
    scene.clock.advance(60_000)
    expect(scene.started).toBe(2)
  })

  test('without a thread it is over at once', async () => {
    const { crew } = sceneOf({ workers: { min: 0, max: 2 } })
    await crew.close()
    expect(crew.closing).toBe(true)
  })

  test('a worker that still runs something nobody waits for is ended, the others are given time', () => {
    const { crew } = sceneOf({ workers: 2 })
    scene.load()
    scene.hold(0)
    scene.thread(0).knows(['work']).start()
    const lane = scene.worker(0).lane!
    lane.abandon(lane.cpu.first!)
    void crew.close()
    crew.terminateBusy()
    expect(scene.states).toEqual(['dead', 'draining'])
    crew.terminateAll()
    expect(scene.states).toEqual(['dead', 'dead'])
  })

  test('a pending restart does not outlive it', async () => {
    const { crew } = sceneOf({ workers: 1 })
    for (let crash = 0; crash < 2; crash++) {
      scene.load()
      scene.thread(0).die()
    }
    await crew.close()
    scene.clock.advance(60_000)
    expect(scene.started).toBe(2)
  })
})

test('starts of threads are counted and timed until they take tasks', () => {
  const { crew, clock } = sceneOf({ workers: 1 })
  clock.advance(40)
  scene.load()
  expect(crew.startTimes.percentiles()).toMatchObject({ count: 1, max: 40 })
  expect(scene.worker(0)).toMatchObject({ starts: 1, hasLoaded: true })
  scene.thread(0).die()
  expect(scene.worker(0)).toMatchObject({ starts: 2, hasLoaded: false, state: 'starting' })
})
