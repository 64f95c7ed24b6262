import { afterEach, expect, test } from 'vitest'
import { FakePool } from '../../support/fake-pool.js'

let pool: FakePool
afterEach(() => pool.dispose())

test('a pause takes back what has not started, and starts nothing more', () => {
  pool = FakePool.loaded({ workers: 2, window: 2 })
  for (let index = 0; index < 6; index++) pool.run('work', index)
  pool.deliver()
  const running = [0, 1].map((slot) => pool.thread(slot).start()!)
  pool.core.router.pause()
  expect(pool.core.router.waiting).toBe(4)
  for (const slot of [0, 1]) {
    pool.thread(slot).end(running[slot]!, 'done')
    pool.thread(slot).answer()
  }
  pool.runAll()
  expect(pool.core.ledger).toMatchObject({ completed: 2, unsettled: 4 })
  expect(pool.run('work', 'new').task.place).toBe('queue')
  pool.core.router.resume()
  pool.runAll()
  expect(pool.core.ledger).toMatchObject({ completed: 7, unsettled: 0 })
})

test('a pause keeps what waits for an idle worker, and its order', () => {
  pool = FakePool.loaded({ workers: 1, window: 2 })
  const order: unknown[] = []
  pool.run('work', 0)
  const buffer = new ArrayBuffer(8)
  const moved = pool.run('work', buffer, { transfer: [buffer] })
  moved.task.resolve = () => void order.push('moved')
  pool.run('work', 1).task.resolve = () => void order.push('copied')
  pool.core.router.pause()
  expect(pool.worker(0).reserved).toBeUndefined()
  pool.core.router.resume()
  pool.runAll()
  expect(order).toEqual(['moved', 'copied'])
})

test('in push mode what a worker has no claim word for waits too', () => {
  pool = FakePool.loaded({ workers: 1, mode: 'push' })
  for (let index = 0; index < 600; index++) pool.run('work', index)
  expect(pool.worker(0).backlog.size).toBeGreaterThan(0)
  pool.core.router.pause()
  expect([pool.worker(0).outstanding, pool.core.router.waiting]).toEqual([0, 600])
  pool.core.router.resume()
  // First the messages that were taken back come home, and with them the claim words.
  pool.runAll()
  pool.runAll()
  expect(pool.core.ledger.completed).toBe(600)
})
