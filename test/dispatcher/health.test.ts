import { afterEach, describe, expect, test } from 'vitest'
import { Health } from '../../src/dispatcher/health.js'
import type { DispatcherOptions } from '../../src/dispatcher/options.js'
import { FakeCrew } from '../support/fake-crew.js'
import { newTask, statsOf } from '../support/new-task.js'

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
      this.failOpen = this.health.tick(this.crew.clock.nowMs())
    }
  }

  failOpen = false

  run(slot: number, stats = statsOf('work')): void {
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
    scene.pass(185)
    expect(crew.worker(0).state).toBe('suspect')
    scene.pass(10)
    expect(crew.worker(0)).toMatchObject({ state: 'stalled', stalls: 1 })
    scene.pass(1_000)
    expect(scene.news).toEqual([
      ['suspected', 0],
      ['stalled', { slot: 0, threadId: 1, task: 'work', runningMs: 280, silentMs: 280 }],
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
    const { crew, health } = sceneOf(1)
    scene.run(0)
    crew.clock.advance(10_000)
    health.tick(crew.clock.nowMs())
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
    expect(crew.worker(0)).toMatchObject({ state: 'suspect', stalls: 0 })
    crew.thread(0).loop = { idle: 150, active: 9_000 }
    scene.pass(10)
    expect(crew.worker(0).state).toBe('stalled')
  })

  test('is not stalled while a name that usually takes long runs', () => {
    const { crew } = sceneOf(1)
    scene.run(0, statsOf('other', 'cpu', 500, 20))
    scene.pass(1_500)
    expect(crew.worker(0).state).toBe('suspect')
    scene.pass(1_000)
    expect(crew.worker(0).state).toBe('stalled')
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
    task.state = 'posted'
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
