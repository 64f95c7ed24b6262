import { expect, test } from 'vitest'
import { Readiness } from '../../../src/dispatcher/crew/readiness.js'

test('all who wait hear of it, and nobody hears twice', async () => {
  const readiness = new Readiness()
  const first = [readiness.wait(1), readiness.wait(1)]
  expect(readiness.size).toBe(2)
  readiness.reached(1, 4)
  await expect(Promise.all(first)).resolves.toEqual([undefined, undefined])
  expect(readiness.size).toBe(0)
  const second = readiness.wait(1)
  readiness.failed(new Error('cannot load'))
  await expect(second).rejects.toThrow('cannot load')
  readiness.failed(new Error('nobody waits'))
  expect(readiness.size).toBe(0)
})

test('one who waits again from within the answer is not answered by it', async () => {
  const readiness = new Readiness()
  const again = readiness.wait(1).then(() => readiness.wait(1))
  readiness.reached(1, 4)
  await undefined
  await undefined
  expect(readiness.size).toBe(1)
  readiness.reached(1, 4)
  await again
})

test('who waits for more workers waits longer, but for no more than there may be', async () => {
  const readiness = new Readiness()
  const order: number[] = []
  const waits = [3, 1, 8].map((workers) => readiness.wait(workers).then(() => order.push(workers)))
  readiness.reached(2, 4)
  await waits[1]
  expect([order, readiness.size]).toEqual([[1], 2])
  readiness.reached(3, 4)
  await waits[0]
  expect([order, readiness.size]).toEqual([[1, 3], 1])
  readiness.reached(3, 3)
  await waits[2]
  expect(order).toEqual([1, 3, 8])
})
