import { afterEach, describe, expect, test } from 'vitest'
import { Closing } from '../../src/dispatcher/closing.js'
import type { DispatcherOptions } from '../../src/dispatcher/options/options.js'
import { FakePool } from '../support/fake-pool.js'

const TIMEOUT_MS = 1_000

class Scene {
  readonly pool: FakePool
  readonly closing: Closing
  closed = false

  constructor(options: Partial<DispatcherOptions> = {}) {
    this.pool = FakePool.loaded({ workers: 2, takeBack: false, ...options })
    this.closing = new Closing(this.pool.core, this.pool.clock)
  }

  close(force = false, timeoutMs = TIMEOUT_MS): Promise<void> {
    const promise = this.closing.close(force, timeoutMs)
    void promise.then(() => {
      this.closed = true
    })
    return promise
  }

  /** Lets promises move on, then tells what is left. */
  async settle(): Promise<string[]> {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    return this.pool.core.crew.workers.map(({ state }) => state)
  }

  runningTask() {
    const submitted = this.pool.run('work', 'running')
    this.pool.deliver()
    return { submitted, held: this.pool.thread(submitted.task.slot).start()! }
  }
}

let scene: Scene
afterEach(() => scene.pool.dispose())

function newScene(options?: Partial<DispatcherOptions>): Scene {
  scene = new Scene(options)
  return scene
}

describe('a patient close', () => {
  test('of an idle pool tears every worker down and ends with the threads', async () => {
    newScene()
    const promise = scene.close()
    expect(scene.closing.isClosing).toBe(true)
    expect(await scene.settle()).toEqual(['dead', 'dead'])
    expect(scene.pool.core.crew.draining.size).toBe(2)
    expect(scene.closed).toBe(false)
    scene.pool.finishStops()
    await promise
    expect(scene.pool.supervisor.threads.every(({ dead }) => dead)).toBe(true)
    expect(scene.pool.clock.holding).toBe(0)
  })

  test('lets queued and running tasks finish first', async () => {
    newScene({ window: 1 })
    const all = Array.from({ length: 5 }, (_, index) => scene.pool.run('work', index))
    const promise = scene.close()
    expect(await scene.settle()).toEqual(['busy', 'busy'])
    scene.pool.runAll()
    expect(all.map(({ ends }) => ends)).toEqual(all.map((_, index) => [['ok', index]]))
    await scene.settle()
    scene.pool.finishStops()
    await promise
  })

  test('gives every caller the same promise', () => {
    newScene()
    const first = scene.closing.close(false, TIMEOUT_MS)
    expect(scene.closing.close(false, 5)).toBe(first)
    expect(scene.closing.close(true, 5)).toBe(first)
  })

  test('whose time is up rejects what is left and ends the threads', async () => {
    newScene({ window: 1 })
    const { submitted } = scene.runningTask()
    const { slot } = submitted.task
    const more = [1, 2, 3].map((index) => scene.pool.run('work', index))
    const promise = scene.close()
    await scene.settle()
    for (let ms = 0; ms < TIMEOUT_MS; ms += 5) {
      scene.pool.clock.advance(5)
      scene.pool.thread(slot).beat()
    }
    await scene.settle()
    // Nobody waits for what the one still runs; the other has time for its teardown.
    expect([scene.pool.thread(slot).dead, scene.pool.thread(1 - slot).dead]).toEqual([true, false])
    for (const { ends } of [submitted, ...more]) {
      expect(ends).toEqual([['failed', expect.objectContaining({ code: 'EVENKEEL_CLOSED', task: 'work' })]])
    }
    scene.pool.finishStops()
    await promise
  })

  test('cuts a teardown short that takes longer than the time', async () => {
    newScene()
    const promise = scene.close()
    await scene.settle()
    scene.pool.clock.advance(TIMEOUT_MS)
    await promise
    expect(scene.pool.supervisor.threads.every(({ dead }) => dead)).toBe(true)
  })

  test('does not wait for ever for a thread that cannot be ended', async () => {
    newScene()
    for (const thread of scene.pool.supervisor.threads) thread.diesWhenTerminated = false
    const promise = scene.close()
    await scene.settle()
    scene.pool.clock.advance(TIMEOUT_MS)
    await scene.settle()
    expect(scene.closed).toBe(false)
    scene.pool.clock.advance(250)
    await promise
  })

  test('without a time limit waits for the tasks as long as they take', async () => {
    newScene()
    const { submitted, held } = scene.runningTask()
    const promise = scene.close(false, Number.POSITIVE_INFINITY)
    await scene.settle()
    for (let beat = 0; beat < 100; beat++) {
      scene.pool.clock.advance(1_000)
      scene.pool.thread(submitted.task.slot).beat()
    }
    await scene.settle()
    expect(submitted.ends).toEqual([])
    scene.pool.thread(submitted.task.slot).end(held, 'late, but done')
    scene.pool.thread(submitted.task.slot).answer()
    scene.pool.deliver()
    expect(submitted.ends).toEqual([['ok', 'late, but done']])
    await scene.settle()
    scene.pool.finishStops()
    await promise
  })
})

describe('a forced close', () => {
  test('rejects queued and running tasks at once and ends the threads that run them', async () => {
    newScene({ window: 1 })
    const { submitted } = scene.runningTask()
    const queued = [1, 2].map((index) => scene.pool.run('work', index))
    const promise = scene.close(true)
    await scene.settle()
    for (const { ends } of [submitted, ...queued]) {
      expect(ends).toEqual([['failed', expect.objectContaining({ code: 'EVENKEEL_CLOSED' })]])
    }
    await promise
    expect(scene.pool.supervisor.threads.every(({ dead }) => dead)).toBe(true)
    // The tick notices by itself that there is nothing left to look after.
    scene.pool.clock.advance(5)
    expect(scene.pool.clock.holding).toBe(0)
  })

  test('cuts a patient one short', async () => {
    newScene()
    const { submitted } = scene.runningTask()
    const promise = scene.close()
    await scene.settle()
    expect(submitted.ends).toEqual([])
    void scene.close(true)
    await promise
    expect(submitted.ends).toEqual([['failed', expect.objectContaining({ code: 'EVENKEEL_CLOSED' })]])
  })

  test('rejects those who wait for the workers', async () => {
    scene = new Scene({ workers: { min: 0, max: 1 } })
    const ready = scene.pool.core.ready()
    const promise = scene.close(true)
    await expect(ready).rejects.toMatchObject({ code: 'EVENKEEL_CLOSED' })
    await promise
  })
})
