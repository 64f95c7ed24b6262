import { expect, test } from 'vitest'
import { PoolWorker } from '../../../src/dispatcher/crew/pool-worker.js'
import { Recycling } from '../../../src/dispatcher/crew/retiring.js'

function readyWorker(slot: number): PoolWorker {
  const worker = new PoolWorker(slot)
  worker.state = 'starting'
  worker.state = 'idle'
  return worker
}

function scene(count: number) {
  const begun: number[] = []
  const workers = Array.from({ length: count }, (_, slot) => readyWorker(slot))
  const pool = { places: Number.POSITIVE_INFINITY, max: count }
  const recycling = new Recycling({
    isWanted: (slot) => slot < pool.max,
    hasPlace: () => pool.places > 0,
    replace: (worker) => {
      worker.state = 'draining'
      pool.places--
      begun.push(worker.slot)
    },
  })
  const succeed = (slot: number) => {
    workers[slot] = readyWorker(slot)
    recycling.ready(workers[slot]!)
  }
  return { begun, workers, recycling, pool, succeed }
}

test('one worker at a time, each when the successor of the last one takes tasks', () => {
  const { begun, workers, recycling, succeed } = scene(3)
  for (const worker of workers) recycling.request(worker)
  expect(begun).toEqual([0])
  succeed(0)
  expect(begun).toEqual([0, 1])
  succeed(1)
  succeed(2)
  expect(begun).toEqual([0, 1, 2])
})

test('a worker is in the queue once, and only if it is ready', () => {
  const { begun, workers, recycling, succeed } = scene(2)
  const [first, second] = workers
  recycling.request(first!)
  recycling.request(second!)
  recycling.request(second!)
  recycling.request(first!)
  succeed(0)
  succeed(1)
  expect(begun).toEqual([0, 1])
})

test('one that ends by itself while it waits is passed over', () => {
  const { begun, workers, recycling, succeed } = scene(3)
  for (const worker of workers) recycling.request(worker)
  workers[1]!.state = 'dead'
  succeed(0)
  expect(begun).toEqual([0, 2])
})

test('those that must not go on wait for no turn, only for a place', () => {
  const { begun, workers, recycling, pool } = scene(3)
  pool.places = 2
  for (const worker of workers) recycling.requestNow(worker)
  expect(begun).toEqual([0, 1])
  pool.places = 1
  recycling.goOn()
  expect(begun).toEqual([0, 1, 2])
})

test('a successor that is wanted no more is not waited for', () => {
  const { begun, workers, recycling, pool } = scene(2)
  recycling.request(workers[1]!)
  recycling.request(workers[0]!)
  expect(begun).toEqual([1])
  pool.max = 1
  recycling.goOn()
  expect(begun).toEqual([1, 0])
})
