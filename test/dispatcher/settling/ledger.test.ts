import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EvenkeelError } from '../../../src/base/errors.js'
import { Ledger } from '../../../src/dispatcher/settling/ledger.js'
import type { Task } from '../../../src/dispatcher/tasks/task.js'
import type { TaskKind } from '../../../src/protocol/batch.js'
import { FakeClock } from '../../support/fake-clock.js'
import { newTask, newTasks } from '../../support/new-task.js'
import '../../support/seeded-properties.js'

function ledgerOf(maxQueue: number, workers = 2, ioWindow = 2, onDrain = () => {}, clock = new FakeClock()): Ledger {
  const ledger = new Ledger(maxQueue, onDrain, clock)
  ledger.setCapacity(workers, ioWindow)
  return ledger
}

/** What `Dispatcher.room` resolves with. */
const roomOf = (ledger: Ledger): Promise<void> => ledger.place() ?? Promise.resolve()
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Whether the promise has resolved by the time the microtasks ran. */
async function isResolved(promise: Promise<void>): Promise<boolean> {
  let resolved = false
  void promise.then(() => {
    resolved = true
  })
  for (let turn = 0; turn < 3; turn++) await undefined
  return resolved
}

describe('settling', () => {
  test('each way counts once and calls the task back once', () => {
    const ledger = ledgerOf(Number.POSITIVE_INFINITY)
    const settled: unknown[] = []
    const [good, bad] = newTasks(2)
    good!.resolve = (value) => settled.push(['resolved', value])
    bad!.reject = (reason) => settled.push(['rejected', reason])
    for (const task of [good!, bad!]) ledger.accept(task)
    expect(ledger.unsettled).toBe(2)
    ledger.resolve(good!, 7)
    ledger.reject(bad!, 'why')
    expect(settled).toEqual([
      ['resolved', 7],
      ['rejected', 'why'],
    ])
    expect(ledger).toMatchObject({ completed: 1, failed: 1, unsettled: 0 })
    expect([good!.place, bad!.place]).toEqual(['settled', 'settled'])
  })

  test.each(['resolve', 'reject'] as const)('a task that settled cannot %s again', (again) => {
    const ledger = ledgerOf(Number.POSITIVE_INFINITY)
    const task = newTask()
    let calls = 0
    task.resolve = task.reject = () => calls++
    ledger.accept(task)
    ledger.resolve(task, 1)
    expect(() => ledger[again](task, 2)).toThrow('settled twice')
    expect(calls).toBe(1)
    expect(ledger.unsettled).toBe(0)
  })
})

describe('what is counted of a name', () => {
  test('is how each call ended, and how long that took until the promise settled', () => {
    const clock = new FakeClock(1_000)
    const ledger = ledgerOf(Number.POSITIVE_INFINITY, 2, 2, undefined, clock)
    const tasks = newTasks(4, { submittedMs: 1_000 })
    const { tally } = tasks[0]!.stats
    for (const task of tasks) ledger.accept(task)
    clock.advance(5)
    ledger.resolve(tasks[0]!, 1)
    ledger.reject(tasks[1]!, new EvenkeelError('EVENKEEL_QUEUE_TIMEOUT', 'late'))
    ledger.reject(tasks[2]!, new EvenkeelError('EVENKEEL_TIMEOUT', 'thrown by the task'), 'error')
    expect(tally.outcomes).toEqual({ ok: 1, error: 1, timeout: 1, aborted: 0, crashed: 0, rejected: 0 })
    expect([tally.submitted, tally.totalTimes.count, tally.totalTimes.percentiles().max]).toEqual([4, 3, 5])
    expect(ledger.queueTimeouts).toBe(1)
  })

  test('holds refused calls, those at a full queue apart', () => {
    const ledger = ledgerOf(0, 1)
    const [runs, refused] = newTasks(2)
    ledger.accept(runs!)
    expect(() => ledger.accept(refused!)).toThrow(/queue holds/)
    const { tally } = refused!.stats
    ledger.refuse(tally)
    expect({ ...tally.outcomes, submitted: tally.submitted }).toMatchObject({ rejected: 1, submitted: 2 })
    expect([ledger.rejected, ledger.queueFull]).toEqual([1, 1])
  })

  test('answers of one message share a reading of the clock', () => {
    const clock = new FakeClock(1_000)
    const ledger = ledgerOf(Number.POSITIVE_INFINITY, 2, 2, undefined, clock)
    const tasks = newTasks(3, { submittedMs: 1_000 })
    for (const task of tasks) ledger.accept(task)
    ledger.resolve(tasks[0]!, 1)
    clock.advance(7)
    ledger.resolve(tasks[1]!, 1)
    ledger.answersTaken()
    ledger.resolve(tasks[2]!, 1)
    const { sumUs } = tasks[0]!.stats.tally.totalTimes.counts()
    expect(sumUs).toBe(7_000)
  })
})

describe('a full queue', () => {
  test('what can run at once is accepted beside what may wait', () => {
    const ledger = ledgerOf(3)
    for (const task of newTasks(5)) ledger.accept(task)
    expect(ledger.waiting).toBe(3)
    expect(() => ledger.accept(newTask({ name: 'late' }))).toThrow(
      expect.objectContaining({ code: 'EVENKEEL_QUEUE_FULL', task: 'late', maxQueue: 3, retryable: true }),
    )
    expect(ledger.unsettled).toBe(5)
  })

  test('with no queue at all, exactly as many as can run are accepted', () => {
    const ledger = ledgerOf(0)
    const tasks = newTasks(2)
    for (const task of tasks) ledger.accept(task)
    expect(() => ledger.accept(newTask())).toThrow('queue')
    ledger.resolve(tasks[0]!, 1)
    ledger.accept(newTask())
    expect(ledger.waiting).toBe(0)
  })

  test('a queue full of CPU tasks does not refuse an I/O task that starts at once, and the other way round', () => {
    const ledger = ledgerOf(1)
    for (const task of newTasks(3)) ledger.accept(task)
    for (const task of newTasks(4, { kind: 'io' })) ledger.accept(task)
    expect(() => ledger.accept(newTask({ kind: 'io' }))).toThrow('queue')
    expect(() => ledger.accept(newTask())).toThrow('queue')
  })

  test('a task that turns out to be I/O is counted anew, once', () => {
    const ledger = ledgerOf(0, 1, 1)
    const task = newTask()
    ledger.accept(task)
    task.stats.kind = 'io'
    ledger.recount(task)
    ledger.recount(task)
    expect(ledger.unsettled).toBe(1)
    ledger.accept(newTask())
    expect(() => ledger.accept(newTask({ kind: 'io' }))).toThrow('queue')
    ledger.resolve(task, 1)
    ledger.accept(newTask({ kind: 'io' }))
    expect(ledger.unsettled).toBe(2)
  })

  test('a crossing back below the limit is told once, and only after a refusal', () => {
    let drains = 0
    const ledger = ledgerOf(1, 1, 4, () => drains++)
    const tasks = newTasks(2)
    for (const task of tasks) ledger.accept(task)
    ledger.resolve(tasks[0]!, 1)
    expect(drains).toBe(0)
    const third = newTask()
    ledger.accept(third)
    for (let refused = 0; refused < 3; refused++) expect(() => ledger.accept(newTask())).toThrow('queue')
    ledger.resolve(tasks[1]!, 1)
    ledger.resolve(third, 1)
    expect(drains).toBe(1)
  })
})

describe('those who wait', () => {
  test('room is there at once while fewer wait than may', async () => {
    const ledger = ledgerOf(1, 1)
    expect(await isResolved(roomOf(ledger))).toBe(true)
    const [running, queued] = newTasks(2)
    ledger.accept(running!)
    expect(await isResolved(roomOf(ledger))).toBe(true)
    ledger.accept(queued!)
    const room = roomOf(ledger)
    expect(await isResolved(room)).toBe(false)
    ledger.resolve(running!, 1)
    expect(await isResolved(room)).toBe(true)
  })

  test('without a queue there is room when a task of either kind can start', async () => {
    let drains = 0
    const ledger = ledgerOf(0, 1, 2, () => drains++)
    expect(await isResolved(roomOf(ledger))).toBe(true)
    const tasks = newTasks(2, { kind: 'io' })
    for (const task of tasks) ledger.accept(task)
    expect(() => ledger.accept(newTask({ kind: 'io' }))).toThrow('queue')
    const room = roomOf(ledger)
    expect(await isResolved(room)).toBe(false)
    ledger.resolve(tasks[0]!, 1)
    expect(await isResolved(room)).toBe(true)
    expect(drains).toBe(1)
  })

  test('a queue full of I/O tasks has no room for the next of them, although a CPU task could start', async () => {
    const ledger = ledgerOf(1, 2, 1)
    const tasks = newTasks(3, { kind: 'io' })
    for (const task of tasks) ledger.accept(task)
    const room = roomOf(ledger)
    expect(await isResolved(room)).toBe(false)
    ledger.resolve(tasks[0]!, 1)
    expect(await isResolved(room)).toBe(true)
  })

  test('each settled task wakes one who waits for room, first come first served', async () => {
    const ledger = ledgerOf(1, 1)
    const tasks = newTasks(2)
    for (const task of tasks) ledger.accept(task)
    const rooms = [roomOf(ledger), roomOf(ledger)]
    ledger.resolve(tasks[0]!, 1)
    expect(await Promise.all(rooms.map(isResolved))).toEqual([true, false])
    ledger.resolve(tasks[1]!, 1)
    expect(await isResolved(rooms[1]!)).toBe(true)
  })

  test('one who was let in and does not take the room leaves it to the next', async () => {
    const ledger = ledgerOf(1, 1)
    const tasks = newTasks(2)
    for (const task of tasks) ledger.accept(task)
    const rooms = [roomOf(ledger), roomOf(ledger), roomOf(ledger), roomOf(ledger)]
    for (const task of tasks) ledger.resolve(task, 1)
    await Promise.all(rooms)
    expect(ledger.unsettled).toBe(0)
  })

  test('those let in while no task settles do not crowd each other out', async () => {
    const ledger = ledgerOf(1, 1)
    const tasks = newTasks(2)
    for (const task of tasks) ledger.accept(task)
    const entered: Task[] = []
    const enter = async () => {
      await roomOf(ledger)
      const task = newTask()
      ledger.accept(task)
      entered.push(task)
    }
    const entries = Array.from({ length: 20 }, enter)
    for (const task of tasks) ledger.resolve(task, 1)
    while (entered.length < 20) {
      await new Promise(setImmediate)
      const open = entered.find((task) => task.place !== 'settled')
      if (open !== undefined) ledger.resolve(open, 1)
    }
    await Promise.all(entries)
  })

  test('a place that was handed out is good for the next task of either kind, whatever others ask for', async () => {
    for (const kind of ['cpu', 'io'] as const) {
      const ledger = ledgerOf(1, 1, 1)
      const tasks = newTasks(2)
      for (const task of tasks) ledger.accept(task)
      ledger.accept(newTask({ kind: 'io' }))
      const rooms = [roomOf(ledger), roomOf(ledger)]
      expect(await Promise.all(rooms.map(isResolved))).toEqual([false, false])
      ledger.resolve(tasks[0]!, 1)
      expect(await Promise.all(rooms.map(isResolved))).toEqual([true, false])
      // Nobody else is handed this one, and it is kept while its owner waits for other promises.
      expect(await isResolved(roomOf(ledger))).toBe(false)
      ledger.accept(newTask({ kind }))
      expect(() => ledger.accept(newTask({ kind }))).toThrow('queue')
    }
  })

  test('a place that nobody takes lapses when the loop has turned, and goes to the next', async () => {
    const ledger = ledgerOf(0, 1, 1)
    expect(ledger.place()).toBeUndefined()
    const next = roomOf(ledger)
    expect(await isResolved(next)).toBe(false)
    await turn()
    await turn()
    expect(await isResolved(next)).toBe(true)
    await turn()
    await turn()
    ledger.accept(newTask())
    expect(() => ledger.accept(newTask())).toThrow('queue')
  })

  test('idle comes after the handlers of the last results, and after what they start', async () => {
    const ledger = ledgerOf(Number.POSITIVE_INFINITY)
    const [first, second] = newTasks(2)
    const order: string[] = []
    const settled = new Promise((resolve) => {
      first!.resolve = resolve
    })
    ledger.accept(first!)
    void settled.then(async () => {
      for (let depth = 0; depth < 50; depth++) await undefined
      order.push('handler')
      ledger.accept(second!)
    })
    const idle = ledger.idle().then(() => order.push('idle'))
    ledger.resolve(first!, 1)
    void ledger.idle().then(() => order.push('idle, asked for late'))
    await turn()
    await turn()
    expect(order).toEqual(['handler'])
    ledger.resolve(second!, 1)
    await idle
    expect(order).toEqual(['handler', 'idle', 'idle, asked for late'])
  })

  test('idle comes when nothing is left, to everybody', async () => {
    const ledger = ledgerOf(1)
    await ledger.idle()
    const tasks = newTasks(2)
    for (const task of tasks) ledger.accept(task)
    const waits = [ledger.idle(), ledger.idle()]
    ledger.reject(tasks[1]!, 'why')
    expect(await Promise.all(waits.map(isResolved))).toEqual([false, false])
    ledger.resolve(tasks[0]!, 1)
    await Promise.all(waits)
  })
})

test('whatever is accepted and settled, counts agree and no more than maxQueue wait', () => {
  const step = fc.record({ settle: fc.boolean(), at: fc.nat(1_000), kind: fc.constantFrom<TaskKind>('cpu', 'io') })
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 100 }),
      fc.nat(4),
      fc.nat(3),
      fc.integer({ min: 1, max: 3 }),
      (steps, maxQueue, cpu, ioWindow) => {
        const ledger = ledgerOf(maxQueue, cpu, ioWindow)
        const io = cpu * ioWindow
        const open: Task[] = []
        let done = 0
        for (const { settle, at, kind } of steps) {
          const inside = (of: TaskKind) => open.filter((task) => task.kind === of).length
          const waitingNow = Math.max(0, inside('cpu') - cpu) + Math.max(0, inside('io') - io)
          expect(ledger.waiting).toBe(waitingNow)
          if (settle && open.length > 0) {
            const [task] = open.splice(at % open.length, 1)
            ledger.resolve(task!, undefined)
            done++
          } else if (!settle) {
            const task = newTask({ kind })
            const startsAtOnce = inside(kind) < (kind === 'io' ? io : cpu)
            if (startsAtOnce || waitingNow < maxQueue) {
              ledger.accept(task)
              open.push(task)
            } else expect(() => ledger.accept(task)).toThrow('queue')
          }
          expect(ledger.waiting).toBeLessThanOrEqual(maxQueue)
          expect(ledger).toMatchObject({ unsettled: open.length, completed: done })
        }
      },
    ),
  )
})
