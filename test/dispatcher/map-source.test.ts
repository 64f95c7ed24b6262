import { expect, test } from 'vitest'
import { MapSource } from '../../src/dispatcher/map-source.js'
import { FakeClock } from '../support/fake-clock.js'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function sourceOf(iterator: Partial<AsyncIterator<unknown>> | Iterator<unknown>) {
  const taken: unknown[] = []
  let changes = 0
  const source = new MapSource(
    iterator as Iterator<unknown>,
    (item) => taken.push(item),
    () => changes++,
  )
  return { source, taken, changes: () => changes }
}

test('a synchronous source gives at once, an asynchronous one later, and says so', async () => {
  const sync = sourceOf([1, 2][Symbol.iterator]())
  for (let draw = 0; draw < 3; draw++) sync.source.draw()
  expect([sync.taken, sync.source.hasEnded, sync.source.canGive]).toEqual([[1, 2], true, false])
  const slow = sourceOf({ next: async () => ({ done: false, value: 1 }) })
  slow.source.draw()
  expect([slow.taken, slow.source.canGive]).toEqual([[], false])
  await turn()
  expect([slow.taken, slow.source.canGive, slow.changes()]).toEqual([[1], true, 1])
})

test('its end is waited for as long as it may take, and not longer', async () => {
  const clock = new FakeClock()
  let reject: (error: unknown) => void = () => {}
  const { source } = sourceOf({
    next: () => new Promise(() => {}),
    return: () =>
      new Promise((_, no) => {
        reject = no
      }),
  })
  source.draw()
  let isLeft = false
  const left = source.leave(false, 250, clock).then(() => {
    isLeft = true
  })
  await turn()
  clock.advance(249)
  await turn()
  expect(isLeft).toBe(false)
  clock.advance(1)
  await left
  // Too late to be heard, and no unhandled rejection.
  reject(new Error('late'))
  await turn()
  expect(clock.timers).toBe(0)
})

test('an item that comes after it was left is dropped, and a failure meanwhile is thrown', async () => {
  let settle: { resolve(value: unknown): void; reject(error: unknown): void } | undefined
  const next = () =>
    new Promise<never>((resolve, reject) => {
      settle = { resolve: resolve as (value: unknown) => void, reject }
    })
  const dropped = sourceOf({ next, return: async () => ({ done: true, value: undefined }) })
  dropped.source.draw()
  await dropped.source.leave(false, 250, new FakeClock())
  settle!.resolve({ done: false, value: 1 })
  await turn()
  expect(dropped.taken).toEqual([])
  const failing = sourceOf({ next, return: () => turn() as Promise<never> })
  failing.source.draw()
  const left = failing.source.leave(false, 250, new FakeClock())
  settle!.reject(new Error('pending'))
  await expect(left).rejects.toThrow('pending')
})

test('one that has ended or thrown is not closed', async () => {
  let closed = 0
  const done = {
    next: () => ({ done: true as const, value: 1 }),
    return: () => ({ done: true as const, value: closed++ }),
  }
  const bad = { ...done, next: () => expect.unreachable('next') }
  for (const iterator of [done, bad]) {
    const { source } = sourceOf(iterator)
    source.draw()
    await source.leave(false, 250, new FakeClock())
    expect(source.hasEnded).toBe(true)
  }
  expect(closed).toBe(0)
})
