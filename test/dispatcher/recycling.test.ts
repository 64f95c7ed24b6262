import { expect, test } from 'vitest'
import { PoolWorker } from '../../src/dispatcher/pool-worker.js'
import { Recycling } from '../../src/dispatcher/recycling.js'

function scene(count: number) {
  const begun: number[] = []
  const workers = Array.from({ length: count }, (_, slot) => {
    const worker = new PoolWorker(slot)
    worker.state = 'starting'
    worker.state = 'idle'
    return worker
  })
  const recycling = new Recycling((worker) => {
    worker.state = 'draining'
    begun.push(worker.slot)
  })
  const end = (slot: number) => {
    workers[slot]!.state = 'dead'
    recycling.ended(workers[slot]!)
  }
  return { begun, workers, recycling, end }
}

test('one worker at a time, each after its predecessor has ended', () => {
  const { begun, workers, recycling, end } = scene(3)
  for (const worker of workers) recycling.request(worker)
  expect(begun).toEqual([0])
  end(0)
  expect(begun).toEqual([0, 1])
  end(1)
  end(2)
  expect(begun).toEqual([0, 1, 2])
})

test('a worker is in the queue once, and only if it is ready', () => {
  const { begun, workers, recycling, end } = scene(2)
  recycling.request(workers[0]!)
  recycling.request(workers[1]!)
  recycling.request(workers[1]!)
  recycling.request(workers[0]!)
  end(0)
  recycling.request(workers[0]!)
  end(1)
  expect(begun).toEqual([0, 1])
})

test('one that ends by itself while it waits is passed over', () => {
  const { begun, workers, recycling, end } = scene(3)
  for (const worker of workers) recycling.request(worker)
  end(1)
  expect(begun).toEqual([0])
  end(0)
  expect(begun).toEqual([0, 2])
})

test('the end of a worker that was not to be replaced means nothing', () => {
  const { begun, workers, recycling, end } = scene(2)
  recycling.request(workers[0]!)
  end(1)
  expect(begun).toEqual([0])
})
