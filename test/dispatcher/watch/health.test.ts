import { afterEach, describe, expect, test } from 'vitest'
import type { DispatcherOptions } from '../../../src/dispatcher/options/options.js'
import { Health } from '../../../src/dispatcher/watch/health.js'
import { FakeCrew } from '../../support/fake-crew.js'
import { newTask, statsOf } from '../../support/new-task.js'

class Scene {
  readonly crew: FakeCrew
  readonly news: unknown[] = []
  readonly health: Health

  constructor(size: number, options: Partial<DispatcherOptions> = {}) {
    this.crew = new FakeCrew(size, options)
    this.health = new Health(this.crew.workers, this.crew.options, {
      suspected: ({ slot }) => void this.news.push(['suspected', slot]),
      stalled: (event) => void this.news.push(['stalled', event]),
      recovered: (event) => void this.news.push(['recovered', event]),
      overdue: ({ slot }) => void this.news.push(['overdue', slot]),
    })
  }

  get names(): unknown[] {
    return this.news.map((each) => (each as unknown[])[0])
  }

  /** Looks every 5 ms, as the tick does. */
  pass(ms: number): void {
    for (let leftMs = ms; leftMs > 0; leftMs -= 5) {
      this.crew.clock.advance(Math.min(5, leftMs))
      this.look(0)
    }
  }

  look(lateMs: number): void {
    this.failOpen = this.health.tick({ nowMs: this.crew.clock.nowMs(), lateMs, stoppedMs: 0 }, this.workWaits)
  }

  failOpen = false
  workWaits = false

  /** By default a name that is known to be quick. */
  run(slot: number, stats = statsOf('work', 'cpu', 1, 20)): void {
    this.crew.post(slot, newTask({ stats }))
    this.crew.thread(slot).start()
  }
}

let scene: Scene
afterEach(() => scene.crew.dispose())

function sceneOf(size: number, options?: Partial<DispatcherOptions>): Scene {
  scene = new Scene(size, options)
  return scene
}

describe('a worker that gives no sign of life', () => {
  test('is suspect after three beats, stalled after stallMs, and healthy again with its next answer', () => {
    const { crew, health } = sceneOf(1)
    scene.run(0)
    scene.pass(80)
    expect(crew.worker(0).state).toBe('busy')
    scene.pass(5)
    expect(crew.worker(0)).toMatchObject({ state: 'suspect', lagMs: 65, silentMs: 85 })
    scene.pass(170)
    expect(crew.worker(0).state).toBe('suspect')
    scene.pass(5)
    expect(crew.worker(0)).toMatchObject({ state: 'stalled', record: { stalls: 1 } })
    scene.pass(1_000)
    expect(scene.news).toEqual([
      ['suspected', 0],
      ['stalled', { slot: 0, threadId: 1, task: 'work', runningMs: 260, silentMs: 260 }],
    ])
    health.recover(crew.worker(0), crew.clock.nowMs())
    expect(crew.worker(0)).toMatchObject({ state: 'busy', lagMs: 0, stallTicks: 0 })
    expect(scene.news.at(-1)).toEqual(['recovered', { slot: 0, threadId: 1, stalledMs: 1_000 }])
  })

  test('that beats again is healthy without an answer', () => {
    const { crew } = sceneOf(1)
    scene.run(0)
    scene.pass(400)
    expect(crew.worker(0).state).toBe('stalled')
    crew.thread(0).beat()
    scene.pass(5)
    expect(crew.worker(0).state).toBe('busy')
    expect(scene.names).toEqual(['suspected', 'stalled', 'recovered'])
  })

  test('one look beyond the limit is no stall: the looker itself may have been late', () => {
    const { crew } = sceneOf(1)
    scene.run(0)
    crew.clock.advance(10_000)
    scene.look(0)
    expect(crew.worker(0).state).toBe('suspect')
    crew.thread(0).beat()
    scene.pass(5)
    expect(crew.worker(0).state).toBe('busy')
    expect(scene.names).toEqual(['suspected'])
  })

  test('and whose loop had idle time meanwhile is not stalled, its beats were only late', () => {
    const { crew } = sceneOf(1)
    scene.run(0)
    scene.pass(85)
    crew.thread(0).loop = { idle: 150, active: 150 }
    scene.pass(1_000)
    expect(crew.worker(0)).toMatchObject({ state: 'suspect', record: { stalls: 0 } })
    crew.thread(0).loop = { idle: 150, active: 9_000 }
    scene.pass(10)
    expect(crew.worker(0).state).toBe('stalled')
  })

  test('is not stalled while a name runs as long as it usually does, four times its longest run at most', () => {
    const { crew } = sceneOf(1)
    scene.run(0, statsOf('other', 'cpu', 500, 20))
    scene.pass(1_990)
    expect(crew.worker(0).state).toBe('suspect')
    scene.pass(20)
    expect(crew.worker(0).state).toBe('stalled')
  })

  test.each([0, 19])('is not stalled for 20 times as long while a name runs that has run %i times', (runs) => {
    const { crew } = sceneOf(1, { stallMs: 100 })
    scene.run(0, statsOf('other', 'cpu', 1, runs))
    scene.pass(2_000)
    expect(crew.worker(0).state).toBe('suspect')
    scene.pass(20)
    expect(crew.worker(0).state).toBe('stalled')
  })

  test('the time for unknown names can be set, and their few long runs count as well', () => {
    const { crew } = sceneOf(2, { stallUnknownMs: 400 })
    scene.run(0, statsOf('other', 'cpu', 1, 3))
    scene.run(1, statsOf('work', 'cpu', 300, 3))
    scene.pass(500)
    expect(crew.workers.map(({ state }) => state)).toEqual(['stalled', 'suspect'])
    scene.pass(720)
    expect(crew.worker(1).state).toBe('stalled')
  })

  test('with I/O tasks in flight is judged by them, unless a CPU task has run since the last sign', () => {
    const { crew } = sceneOf(2)
    const io = statsOf('fetch', 'io', 500, 20)
    scene.run(0, io)
    crew.thread(0).start('io')
    scene.run(1, io)
    crew.thread(1).start('io')
    scene.run(1)
    scene.pass(300)
    expect(crew.workers.map(({ state }) => state)).toEqual(['suspect', 'stalled'])
    scene.pass(1_800)
    expect(crew.worker(0).state).toBe('stalled')
  })

  test('a lag that it reports itself makes it suspect, never stalled: it answers', () => {
    const { crew } = sceneOf(1)
    scene.run(0)
    for (let beat = 0; beat < 50; beat++) {
      crew.thread(0).beat(2_000)
      scene.pass(20)
    }
    expect(crew.worker(0)).toMatchObject({ state: 'suspect', record: { stalls: 0 } })
  })

  test('is overdue after stallKillMs, also while it drains', () => {
    const { crew } = sceneOf(2, { stallKillMs: 400 })
    for (const slot of [0, 1]) scene.run(slot)
    crew.worker(1).state = 'draining'
    scene.pass(400)
    expect(scene.names).not.toContain('overdue')
    scene.pass(5)
    expect(scene.news.filter((each) => (each as unknown[])[0] === 'overdue')).toEqual([
      ['overdue', 0],
      ['overdue', 1],
    ])
  })

  test('is not overdue while it is not stalled: a name that usually takes long is not ended for it', () => {
    sceneOf(2, { stallKillMs: 400 })
    scene.run(0, statsOf('other', 'cpu', 1_000, 20))
    scene.run(1, statsOf('other', 'cpu', 1, 0))
    scene.pass(3_000)
    expect(scene.names).not.toContain('overdue')
    scene.pass(2_100)
    expect(scene.names.filter((name) => name === 'overdue').length).toBeGreaterThan(0)
  })
})

describe('our own lateness', () => {
  test('is nobody’s silence: after a stop of the process nobody is suspect, stalled or overdue', () => {
    const { crew } = sceneOf(3, { stallKillMs: 2_000 })
    for (const slot of [0, 1, 2]) scene.run(slot)
    scene.pass(30)
    crew.clock.stop(3_000)
    scene.look(2_995)
    // The first one's event loop turns again at once, and says how late it was; the others go on computing.
    crew.thread(0).beat(2_995)
    scene.pass(20)
    expect(crew.workers.map(({ state, lagMs }) => [state, lagMs < 60])).toEqual(Array(3).fill(['busy', true]))
    expect(crew.worker(1).silentMs).toBeGreaterThan(3_000)
    scene.pass(190)
    crew.thread(0).beat()
    scene.pass(30)
    expect(crew.workers.map(({ state }) => state)).toEqual(['busy', 'stalled', 'stalled'])
    expect(scene.names).not.toContain('overdue')
    scene.pass(1_800)
    expect(scene.news.filter((each) => (each as unknown[])[0] === 'overdue').length).toBeGreaterThan(0)
  })

  test('does not excuse what was silent before it, nor what is silent long after', () => {
    const { crew } = sceneOf(1)
    scene.run(0)
    scene.pass(200)
    crew.clock.stop(1_000)
    scene.look(995)
    scene.pass(20)
    expect(crew.worker(0).state).toBe('suspect')
    scene.pass(50)
    expect(crew.worker(0).state).toBe('stalled')
  })
})

describe('a pool that makes no progress', () => {
  test('counts from when all workers are stalled and work waits, our own lateness left out', () => {
    const { crew, health } = sceneOf(2)
    for (const slot of [0, 1]) scene.run(slot)
    scene.pass(1_000)
    expect(crew.workers.map(({ state }) => state)).toEqual(['stalled', 'stalled'])
    expect(health.stuckMs).toBe(0)
    scene.workWaits = true
    scene.pass(505)
    expect(health.stuckMs).toBe(500)
    crew.clock.stop(10_000)
    scene.look(9_995)
    expect(health.stuckMs).toBe(505)
    crew.thread(1).beat()
    scene.pass(5)
    expect(health.stuckMs).toBe(0)
  })

  test('and one without a loaded worker does so as well; long tasks alone are progress', () => {
    const { crew, health } = sceneOf(1)
    scene.workWaits = true
    scene.run(0, statsOf('other', 'cpu', 60_000, 20))
    scene.pass(2_000)
    expect(health.stuckMs).toBe(0)
    crew.worker(0).state = 'draining'
    scene.pass(105)
    expect(health.stuckMs).toBe(100)
    scene.workWaits = false
    scene.pass(5)
    expect(health.stuckMs).toBe(0)
  })

  test('work that a stalled worker holds and has not started waits as well', () => {
    const { crew, health } = sceneOf(1)
    scene.run(0)
    crew.post(0, newTask({ stats: statsOf('work', 'cpu', 1, 20) }))
    scene.pass(500)
    expect(health.stuckMs).toBeGreaterThan(100)
  })
})

describe('a worker that need give no sign', () => {
  test('because it is idle is never suspect', () => {
    const { crew } = sceneOf(1)
    scene.pass(5_000)
    expect(crew.worker(0)).toMatchObject({ state: 'idle', lagMs: 0, silentMs: 0 })
  })

  test('is judged from its first task on, not from its last sign long ago', () => {
    const { crew } = sceneOf(1)
    scene.pass(5_000)
    const task = newTask()
    task.place = 'lane'
    crew.worker(0).state = 'busy'
    // Posted, and the thread has not yet woken up to say that it is active.
    crew.lane(0).post(task, crew.clock.nowMs())
    crew.lane(0).flush()
    scene.pass(80)
    expect(crew.worker(0).state).toBe('busy')
    scene.pass(5)
    expect(crew.worker(0).state).toBe('suspect')
  })

  test('progress of I/O tasks and late beats are signs as well', () => {
    const { crew } = sceneOf(1)
    scene.run(0)
    for (let step = 0; step < 20; step++) {
      scene.pass(50)
      if (step % 2 === 0) crew.thread(0).beat(0)
      else crew.thread(0).row.stamp('io', crew.clock.nowMs() * 10)
    }
    expect(crew.worker(0).state).toBe('busy')
  })

  test('reported lag counts although the reports are fresh', () => {
    const { crew } = sceneOf(1)
    scene.run(0)
    crew.thread(0).beat(90)
    scene.pass(5)
    expect(crew.worker(0)).toMatchObject({ state: 'suspect', lagMs: 90 })
  })
})

describe('soft signals', () => {
  test('are to be ignored when they would shut out more than half of the workers', () => {
    const { crew } = sceneOf(4)
    for (const slot of [0, 1, 2]) scene.run(slot)
    scene.pass(70)
    crew.thread(2).beat()
    scene.pass(20)
    expect(crew.workers.map(({ state }) => state)).toEqual(['suspect', 'suspect', 'busy', 'idle'])
    expect(scene.failOpen).toBe(false)
    scene.pass(65)
    expect(crew.worker(2).state).toBe('suspect')
    expect(scene.failOpen).toBe(true)
  })

  test('of dead workers do not count', () => {
    const { crew } = sceneOf(3)
    crew.worker(2).state = 'dead'
    crew.worker(2).lane = undefined
    scene.run(0)
    scene.run(1)
    scene.pass(85)
    expect(scene.failOpen).toBe(true)
  })

  test('an ejected worker returns after its time, on probation', () => {
    const { crew } = sceneOf(2)
    const worker = crew.worker(0)
    worker.state = 'ejected'
    worker.ejectedUntilMs = crew.clock.nowMs() + 100
    scene.pass(95)
    expect(worker.state).toBe('ejected')
    scene.pass(5)
    expect(worker).toMatchObject({ state: 'idle', windowLimit: 1, idleSinceMs: crew.clock.nowMs() })
  })

  test('a penalty ends with its time', () => {
    const { crew } = sceneOf(2)
    crew.worker(0).creditBackMs = crew.clock.nowMs() + 12
    scene.pass(10)
    expect(crew.worker(0).penalised).toBe(true)
    scene.pass(5)
    expect(crew.worker(0).penalised).toBe(false)
  })
})
