import { afterEach, expect, test } from 'vitest'
import { KeptTasks } from '../../../src/dispatcher/places/kept-tasks.js'
import { FakeCrew } from '../../support/fake-crew.js'
import { newTask, newTasks } from '../../support/new-task.js'

let crew: FakeCrew
afterEach(() => crew.dispose())

test('an idle worker takes its own task, or the one that has waited longest for another worker', () => {
  crew = new FakeCrew(3)
  const kept = new KeptTasks(crew.workers)
  const [older, newer] = newTasks(2)
  kept.reserve(crew.worker(0), newer!)
  kept.reserve(crew.worker(1), older!)
  expect(kept.takeFor(crew.worker(2))).toBe(older)
  expect(crew.worker(1).reserved).toBeUndefined()
  expect(kept.takeFor(crew.worker(0))).toBe(newer)
  expect(kept.takeFor(crew.worker(0))).toBeUndefined()
})

test('a worker that is not ready takes nothing; one that is given free has nothing more', () => {
  crew = new FakeCrew(1)
  const kept = new KeptTasks(crew.workers)
  const [task] = newTasks(1)
  const worker = crew.worker(0)
  kept.reserve(worker, task!)
  worker.state = 'draining'
  expect(kept.takeFor(worker)).toBeUndefined()
  expect([kept.free(worker), kept.free(worker)]).toEqual([task, undefined])
})

test('each task is found at its worker, and leaves it when it is removed', () => {
  crew = new FakeCrew(2)
  const kept = new KeptTasks(crew.workers)
  const [reserved, first, second] = newTasks(3)
  kept.reserve(crew.worker(0), reserved!)
  kept.keep(crew.worker(1), first!)
  kept.keep(crew.worker(1), second!)
  expect([reserved!, first!].map(({ place, slot }) => [place, slot])).toEqual([
    ['reservation', 0],
    ['backlog', 1],
  ])
  expect([...kept.reservations, ...kept.backlogs]).toEqual([reserved, first, second])
  kept.reservations.remove(reserved!)
  kept.backlogs.remove(first!)
  expect([...kept.reservations, ...kept.backlogs]).toEqual([second])
  expect([crew.worker(0).reserved, reserved!.slot, first!.slot]).toEqual([undefined, -1, -1])
})

test('a worker gives up all but what only it may run', () => {
  crew = new FakeCrew(1)
  const kept = new KeptTasks(crew.workers)
  const worker = crew.worker(0)
  const [own, reserved] = [1, 2].map((payload) => newTask({ payload, options: { transfer: [new ArrayBuffer(1)] } }))
  const [any] = newTasks(1)
  kept.reserve(worker, reserved!)
  kept.keep(worker, own!)
  kept.keep(worker, any!)
  expect([...kept.giveUp(worker)]).toEqual([reserved, any])
  worker.state = 'draining'
  expect([...kept.giveUp(worker)]).toEqual([own])
})
