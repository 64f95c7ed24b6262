import { afterEach, expect, test } from 'vitest'
import { Reservations } from '../../../src/dispatcher/places/kept-tasks.js'
import { FakeCrew } from '../../support/fake-crew.js'
import { newTasks } from '../../support/new-task.js'

let crew: FakeCrew
afterEach(() => crew.dispose())

test('an idle worker takes its own task, or the one that has waited longest for another worker', () => {
  crew = new FakeCrew(3)
  const reservations = new Reservations(crew.workers)
  const [older, newer] = newTasks(2)
  reservations.keep(crew.worker(0), newer!)
  reservations.keep(crew.worker(1), older!)
  expect(reservations.takeFor(crew.worker(2))).toBe(older)
  expect(crew.worker(1).reserved).toBeUndefined()
  expect(reservations.takeFor(crew.worker(0))).toBe(newer)
  expect(reservations.takeFor(crew.worker(0))).toBeUndefined()
})

test('a worker that is not ready takes nothing; one that is given free has nothing more', () => {
  crew = new FakeCrew(1)
  const reservations = new Reservations(crew.workers)
  const [task] = newTasks(1)
  const worker = crew.worker(0)
  reservations.keep(worker, task!)
  worker.state = 'draining'
  expect(reservations.takeFor(worker)).toBeUndefined()
  expect([reservations.give(worker), reservations.give(worker)]).toEqual([task, undefined])
})
