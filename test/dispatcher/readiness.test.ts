import { expect, test } from 'vitest'
import { Readiness } from '../../src/dispatcher/readiness.js'

test('all who wait hear of it, and nobody hears twice', async () => {
  const readiness = new Readiness()
  const first = [readiness.wait(), readiness.wait()]
  expect(readiness.size).toBe(2)
  readiness.reached()
  await expect(Promise.all(first)).resolves.toEqual([undefined, undefined])
  expect(readiness.size).toBe(0)
  const second = readiness.wait()
  readiness.failed(new Error('cannot load'))
  await expect(second).rejects.toThrow('cannot load')
  readiness.failed(new Error('nobody waits'))
  expect(readiness.size).toBe(0)
})

test('one who waits again from within the answer is not answered by it', async () => {
  const readiness = new Readiness()
  const again = readiness.wait().then(() => readiness.wait())
  readiness.reached()
  await undefined
  await undefined
  expect(readiness.size).toBe(1)
  readiness.reached()
  await again
})
