import { expect, test } from 'vitest'
import { FeedWait } from '../../../src/batch/flow/feed-wait.js'

test('a sleeper is woken once, by a wake or a stop', async () => {
  const wait = new FeedWait()
  wait.wake()
  for (const end of [() => wait.wake(), () => wait.stop()]) {
    const sleeping = wait.sleep()
    expect(wait.isAsleep).toBe(true)
    end()
    await sleeping
    expect(wait.isAsleep).toBe(false)
  }
})

test('a step ends with what it gives, or with nothing at a stop', async () => {
  const wait = new FeedWait()
  expect(await wait.unlessStopped(Promise.resolve(5))).toBe(5)
  await expect(wait.unlessStopped(Promise.reject(new Error('no')))).rejects.toThrow('no')
  const endless = wait.unlessStopped(new Promise<number>(() => undefined))
  wait.stop()
  expect(await endless).toBeUndefined()
})
