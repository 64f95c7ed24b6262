import { expect, test } from 'vitest'
import { SharedRuns } from '../../../src/dispatcher/intake/shared-runs.js'

class Scene {
  readonly runs = new SharedRuns()
  /** Signals of the runs started, and how to settle them. */
  readonly started: { signal: AbortSignal; resolve: (value: unknown) => void; reject: (reason: unknown) => void }[] = []

  call(key: string, signal?: AbortSignal, name = 'work'): Promise<unknown> {
    return this.runs.run(name, key, signal, (all) => {
      return new Promise((resolve, reject) => this.started.push({ signal: all, resolve, reject }))
    })
  }
}

test('equal name and key share one run and its result, others do not', async () => {
  const scene = new Scene()
  const calls = [scene.call('a'), scene.call('a'), scene.call('b'), scene.call('a', undefined, 'other')]
  expect([scene.started.length, scene.runs.size]).toEqual([3, 3])
  const result = { some: 'thing' }
  for (const { resolve } of scene.started) resolve(result)
  const values = await Promise.all(calls)
  expect(values[0]).toBe(result)
  expect(values[1]).toBe(result)
  expect(scene.runs.size).toBe(0)
})

test('an error goes to every caller, and the next call starts anew', async () => {
  const scene = new Scene()
  const calls = [scene.call('a'), scene.call('a')]
  const error = new Error('once')
  scene.started[0]!.reject(error)
  const ends = await Promise.allSettled(calls)
  expect(ends).toEqual([
    { status: 'rejected', reason: error },
    { status: 'rejected', reason: error },
  ])
  void scene.call('a')
  expect(scene.started).toHaveLength(2)
})

test("a caller's abort leaves the others; with the last one the run is aborted", async () => {
  const scene = new Scene()
  const [first, second] = [new AbortController(), new AbortController()]
  const calls = [scene.call('a', first.signal), scene.call('a', second.signal)]
  first.abort('enough')
  await expect(calls[0]).rejects.toMatchObject({ name: 'AbortError', cause: 'enough' })
  expect(scene.started[0]!.signal.aborted).toBe(false)
  second.abort('too')
  await expect(calls[1]).rejects.toMatchObject({ cause: 'too' })
  expect(scene.started[0]!.signal.aborted).toBe(true)
  // The aborted run may take its time to end; a new caller does not get its fate.
  const fresh = scene.call('a')
  scene.started[0]!.reject(new Error('aborted'))
  expect([scene.started.length, scene.runs.size]).toEqual([2, 1])
  scene.started[1]!.resolve('new')
  expect(await fresh).toBe('new')
  expect(scene.runs.size).toBe(0)
})

test('names and keys that look alike when joined are kept apart', () => {
  const scene = new Scene()
  void scene.call('b","c', undefined, 'a')
  void scene.call('c', undefined, 'a","b')
  expect(scene.started).toHaveLength(2)
})
