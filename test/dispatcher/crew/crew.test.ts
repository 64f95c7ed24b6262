import { afterEach, describe, expect, test } from 'vitest'
import { EvenkeelError } from '../../../src/base/errors.js'
import { Crew, threadDataOf } from '../../../src/dispatcher/crew/crew.js'
import type { PoolWorker } from '../../../src/dispatcher/crew/pool-worker.js'
import type { DispatcherOptions } from '../../../src/dispatcher/options/options.js'
import { FakeClock } from '../../support/fake-clock.js'
import { optionsOf, RecordingOwner } from '../../support/fake-crew.js'
import { FakeSupervisor } from '../../support/fake-supervisor.js'
import type { FakeThread } from '../../support/fake-thread.js'
import { newTask } from '../../support/new-task.js'

class Scene {
  readonly clock = new FakeClock()
  readonly supervisor = new FakeSupervisor(this.clock)
  readonly news: unknown[][] = []
  readonly crew: Crew

  constructor(options: Partial<DispatcherOptions>) {
    this.crew = new Crew(optionsOf(options), this.supervisor, this.clock)
    this.crew.connect(new RecordingOwner(), {
      workerReady: ({ slot }, names) => this.news.push(['ready', slot, names]),
      workerPosted: ({ slot }, message) => this.news.push(['posted', slot, message]),
      loadFailed: (error) => this.news.push(['loadFailed', error]),
      workerLost: ({ slot }, lane, cause) => this.news.push(['lost', slot, lane === undefined, cause.exitCode]),
      workerRetiring: ({ slot }) => this.news.push(['retiring', slot]),
      workerRestarting: ({ slot }, delayMs) => this.news.push(['restarting', slot, delayMs]),
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
    for (const worker of this.crew.workers.filter(({ state }) => state === 'starting')) {
      this.thread(worker.slot).hello()
      this.crew.loaded(worker, ['work'], ['cpu'])
    }
  }

  hold(slot: number): void {
    this.worker(slot).state = 'busy'
    this.worker(slot).lane!.post(newTask(), this.clock.nowMs())
    this.worker(slot).lane!.flush()
  }

  /** The oldest of those that drain beside the worker of the slot. */
  draining(slot: number): PoolWorker | undefined {
    return this.worker(slot).predecessors.values().next().value
  }

  /** A draining worker runs what it holds. */
  finish(worker: PoolWorker): void {
    const thread = worker.thread as FakeThread
    thread.knows(['work']).runAll()
    worker.lane!.readAnswers()
    this.crew.draining.settle(worker)
  }

  /** What the worker's thread was told. */
  toldTo({ thread }: PoolWorker): string[] {
    const fake = thread as FakeThread
    fake.receive()
    return fake.told.map(({ type }) => type)
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
    expect(scene.states).toEqual(['idle', 'dead', 'dead'])
    const [idle, busy] = [scene.draining(1)!, scene.draining(2)!]
    expect(scene.toldTo(idle)).toEqual(['stop'])
    expect(scene.toldTo(busy)).toEqual([])
    scene.finish(busy)
    expect(scene.toldTo(busy)).toEqual(['stop'])
    for (const worker of [idle, busy]) worker.terminate()
    expect([scene.draining(1), scene.draining(2), crew.draining.size]).toEqual([undefined, undefined, 0])
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
    expect(scene.worker(0)).toMatchObject({ windowLimit: 1, record: { restarts: 1 } })
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
      scene.worker(0).record.failuresToRun = 0
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
    expect(scene.news.at(-1)).toEqual(['restarting', 0, 0])
    scene.draining(0)!.terminate()
    expect(scene.news.at(-1)).toEqual(['lost', 0, false, 1])
    expect(scene.worker(0)).toMatchObject({ windowLimit: Number.POSITIVE_INFINITY, record: { failuresToRun: 0 } })
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
    expect(scene.worker(0)).toMatchObject({ state: 'idle', loadFailed: false, record: { cannotLoad: false } })
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
    const thread = scene.thread(0)
    crew.recycle(scene.worker(0))
    scene.clock.advance(4_999)
    expect(thread.dead).toBe(false)
    scene.clock.advance(1)
    expect(thread.dead).toBe(true)
  })

  test('the timer of one life never ends the next', () => {
    const { crew } = sceneOf({ workers: 1 })
    scene.load()
    crew.recycle(scene.worker(0))
    scene.load()
    scene.clock.advance(60_000)
    expect(scene.draining(0)).toBeUndefined()
    expect(scene.worker(0).state).toBe('idle')
    expect(scene.thread(0).terminations).toBe(0)
  })

  test('a successor starts at once, beside the thread that still runs something', () => {
    const { crew } = sceneOf({ workers: 1 })
    scene.load()
    scene.hold(0)
    crew.recycle(scene.worker(0))
    expect([scene.states, scene.started, crew.alive]).toEqual([['starting'], 2, 1])
    scene.load()
    expect([scene.states, crew.ready]).toEqual([['idle'], 1])
    const old = scene.draining(0)!
    expect(scene.toldTo(old)).toEqual([])
    scene.finish(old)
    expect(scene.toldTo(old)).toEqual(['stop'])
    old.terminate()
    expect([scene.states, crew.draining.size, scene.started]).toEqual([['idle'], 0, 2])
  })

  test('what it runs is given the time that a close would give it, then its thread is ended', () => {
    const { crew } = sceneOf({ workers: 1, closeTimeoutMs: 700 })
    scene.load()
    scene.hold(0)
    scene.thread(0).knows(['work']).start()
    crew.recycle(scene.worker(0))
    const old = scene.draining(0)!
    scene.clock.advance(699)
    expect(old.state).toBe('draining')
    scene.clock.advance(1)
    expect(old.state).toBe('dead')
    expect(old.uncaught?.error).toMatchObject({ message: expect.stringContaining('700 ms') })
  })

  test('without a limit it may take for ever', () => {
    const { crew } = sceneOf({ workers: 1, closeTimeoutMs: Number.POSITIVE_INFINITY })
    scene.load()
    scene.hold(0)
    scene.thread(0).knows(['work']).start()
    crew.recycle(scene.worker(0))
    scene.clock.advance(1e9)
    expect(scene.draining(0)!.state).toBe('draining')
  })

  test('an answer that is in the port when the time is up counts', () => {
    const { crew } = sceneOf({ workers: 1, closeTimeoutMs: 700 })
    scene.load()
    scene.hold(0)
    crew.recycle(scene.worker(0))
    const old = scene.draining(0)!
    ;(old.thread as FakeThread).knows(['work']).runAll()
    scene.clock.advance(700)
    expect([old.state, old.stopping, old.uncaught]).toEqual(['draining', true, undefined])
  })

  test('workers that could go on are replaced in turn: each when the last successor takes tasks', () => {
    const { crew } = sceneOf({ workers: 3 })
    scene.load()
    for (let slot = 0; slot < 3; slot++) scene.hold(slot)
    for (const worker of crew.workers) crew.recycle(worker)
    expect(scene.states).toEqual(['starting', 'busy', 'busy'])
    scene.load()
    expect(scene.states).toEqual(['idle', 'starting', 'busy'])
    scene.load()
    scene.load()
    expect([scene.states, crew.draining.size]).toEqual([['idle', 'idle', 'idle'], 3])
  })

  test('a module that can no longer be loaded takes one worker down, not all', () => {
    const { crew } = sceneOf({ workers: 2 })
    scene.load()
    for (const worker of crew.workers) crew.recycle(worker)
    scene.thread(0).hello()
    crew.failedToLoad(scene.worker(0), new EvenkeelError('EVENKEEL_MODULE_LOAD', 'gone'))
    scene.clock.advance(60_000)
    expect(scene.states).toEqual(['dead', 'idle'])
    // It heals with waiting work, and the rest follows.
    crew.ensure(1)
    scene.load()
    expect(scene.states).toEqual(['idle', 'starting'])
  })

  test('at most four threads drain beside a pool of one; the next replacement waits for an end', () => {
    const { crew } = sceneOf({ workers: 1 })
    scene.load()
    for (let life = 0; life < 6; life++) {
      scene.hold(0)
      crew.replace(scene.worker(0))
      scene.load()
    }
    expect([crew.draining.size, scene.states, scene.started]).toEqual([4, ['busy'], 5])
    scene.draining(0)!.terminate()
    expect([crew.draining.size, scene.states, scene.started]).toEqual([4, ['starting'], 6])
  })

  test('threads that cannot be ended do not pile up: beyond the bound the slot waits', () => {
    const { crew } = sceneOf({ workers: 1 })
    for (let life = 0; life < 8; life++) {
      crew.ensure(1)
      if (scene.states[0] !== 'starting') break
      scene.load()
      scene.hold(0)
      scene.thread(0).diesWhenTerminated = false
      const worker = scene.worker(0)
      crew.retire(worker, 'restart')
      worker.terminate()
    }
    expect([scene.started, scene.states]).toEqual([5, ['dead']])
    scene.supervisor.threads[2]!.die()
    expect([scene.started, scene.states]).toEqual([6, ['starting']])
  })

  test('a worker that was one too many leaves its slot free for the next call', () => {
    const { crew } = sceneOf({ workers: { min: 0, max: 1 } })
    crew.ensure(1)
    scene.load()
    scene.hold(0)
    crew.retire(scene.worker(0), 'stay dead')
    expect([scene.states, scene.started]).toEqual([['dead'], 1])
    crew.ensure(1)
    expect([scene.states, scene.started]).toEqual([['starting'], 2])
  })

  test('a resize down and up again fills the slots beside those that drain', () => {
    const { crew } = sceneOf({ workers: 2 })
    scene.load()
    scene.hold(1)
    crew.resize({ min: 1, max: 1 })
    crew.resize({ min: 2, max: 2 })
    expect([scene.states, crew.draining.size]).toEqual([['idle', 'starting'], 1])
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
    expect([scene.states, crew.draining.size]).toEqual([['dead', 'dead'], 2])
    scene.draining(0)!.terminate()
    await undefined
    expect(closed).toBe(false)
    scene.draining(1)!.terminate()
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
    expect([scene.draining(0), scene.draining(1)?.state]).toEqual([undefined, 'draining'])
    crew.terminateAll()
    expect(crew.draining.size).toBe(0)
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
  expect(scene.worker(0)).toMatchObject({ record: { starts: 1 }, hasLoaded: true })
  scene.thread(0).die()
  expect(scene.worker(0)).toMatchObject({ record: { starts: 2 }, hasLoaded: false, state: 'starting' })
})

describe('what a thread is given', () => {
  test('a thread is told its slot, what the options say, and nothing else of them', () => {
    const options = optionsOf({ ioWindow: 7, workerData: { mine: 1 }, stdio: 'capture' })
    expect(threadDataOf(options, 5)).toEqual({
      'evenkeel:settings': {
        slot: 5,
        moduleUrl: 'file:///tasks.js',
        ioWindow: 7,
        depth: 1,
        capturesOutput: true,
        reportsHeap: false,
      },
      user: { mine: 1 },
    })
  })

  test('it reports its heap after every task only where a limit asks for it', () => {
    expect(threadDataOf(optionsOf({ maxHeapBytes: 1e6 }), 0)['evenkeel:settings'].reportsHeap).toBe(true)
  })
})
