import { afterEach, describe, expect, test } from 'vitest'
import type { Crew } from '../../../src/dispatcher/crew/crew.js'
import type { PoolWorker } from '../../../src/dispatcher/crew/pool-worker.js'
import { Shrinking } from '../../../src/dispatcher/crew/shrinking.js'
import { FakeCrew } from '../../support/fake-crew.js'

/** What `Shrinking` sees of a crew, with workers that end as soon as they retire. */
class Scene {
  readonly crew: FakeCrew
  readonly retired: number[] = []
  readonly shrinking: Shrinking
  closing = false

  constructor(size: number, min: number, idleMs: number) {
    this.crew = new FakeCrew(size)
    const { workers } = this.crew
    const scene = this
    const crew: Pick<Crew, 'alive' | 'range' | 'closing' | 'workers' | 'retire'> = {
      get alive() {
        return workers.filter(({ state }) => state !== 'dead').length
      },
      get closing() {
        return scene.closing
      },
      range: { min, max: size },
      workers,
      retire(worker: PoolWorker) {
        scene.retired.push(worker.slot)
        worker.state = 'dead'
      },
    }
    this.shrinking = new Shrinking(crew as Crew, this.crew.clock, idleMs)
  }
}

let scene: Scene
afterEach(() => scene.crew.dispose())

function sceneOf(size: number, min: number, idleMs: number): Scene {
  scene = new Scene(size, min, idleMs)
  return scene
}

describe('idle workers', () => {
  test('end after idleMs, the last slots first, down to the minimum', () => {
    const { shrinking, retired, crew } = sceneOf(4, 2, 1_000)
    shrinking.watch()
    crew.clock.advance(999)
    expect(retired).toEqual([])
    crew.clock.advance(1)
    expect(retired).toEqual([3, 2])
    crew.clock.advance(10_000)
    expect(retired).toEqual([3, 2])
    expect(crew.clock.timers).toBe(0)
  })

  test('that worked meanwhile stay for another while', () => {
    const { shrinking, retired, crew } = sceneOf(3, 0, 1_000)
    shrinking.watch()
    crew.clock.advance(500)
    crew.worker(2).idleSinceMs = crew.clock.nowMs()
    crew.clock.advance(500)
    expect(retired).toEqual([1, 0])
    crew.clock.advance(1_000)
    expect(retired).toEqual([1, 0, 2])
  })

  test('busy ones stay', () => {
    const { shrinking, retired, crew } = sceneOf(2, 0, 1_000)
    crew.worker(1).state = 'busy'
    shrinking.watch()
    crew.clock.advance(1_000)
    expect(retired).toEqual([0])
  })

  test('are watched by one timer that does not hold the process', () => {
    const { shrinking, crew } = sceneOf(3, 0, 1_000)
    for (let time = 0; time < 5; time++) shrinking.watch()
    expect([crew.clock.timers, crew.clock.holding]).toEqual([1, 0])
  })

  test('are not watched without a surplus, without a limit, or while the pool closes', () => {
    sceneOf(2, 2, 1_000).shrinking.watch()
    expect(scene.crew.clock.timers).toBe(0)
    scene.crew.dispose()
    sceneOf(2, 0, Number.POSITIVE_INFINITY).shrinking.watch()
    expect(scene.crew.clock.timers).toBe(0)
    scene.crew.dispose()
    sceneOf(2, 0, 1_000).closing = true
    scene.shrinking.watch()
    expect(scene.crew.clock.timers).toBe(0)
  })

  test('an idle time of nothing does not spin', () => {
    const { shrinking, crew } = sceneOf(2, 1, 0)
    crew.worker(0).state = 'busy'
    crew.worker(1).state = 'busy'
    shrinking.watch()
    let looks = 0
    for (let ms = 0; ms < 100; ms++) {
      const before = crew.clock.timers
      crew.clock.advance(1)
      looks += before === crew.clock.timers ? 0 : 1
    }
    expect(looks).toBeLessThanOrEqual(10)
  })
})
