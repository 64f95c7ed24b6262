import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import '../support/seeded-properties.js'
import { ABORTING, CLAIMED, DONE, DOOMED, indexOf, POSTED, REVOKED, stateOf } from '../../src/board/claims.js'
import { CLAIMS_PER_LANE, ticksOf } from '../../src/board/layout.js'
import { Lane, type LaneOwner } from '../../src/engine/lane.js'
import { FAILED, OK } from '../../src/protocol/batch.js'
import type { WorkerControl } from '../../src/protocol/control.js'
import { encodeError } from '../../src/protocol/error-transfer.js'
import { FakeClock } from '../support/fake-clock.js'
import { FakeThread } from '../support/fake-thread.js'
import { PlainTask } from './lane-tasks.js'

const NAMES = ['work', 'other', 'fetch']

/** What the owner of the lane heard, in order. */
class Owner implements LaneOwner<PlainTask> {
  readonly answers: { task: PlainTask; status: number; value: unknown; startedAt: number; runUs: number }[] = []
  readonly unsent: { task: PlainTask; error: unknown }[] = []
  readonly controls: WorkerControl[] = []
  lateAnswers = 0
  batches = 0

  answered(
    _lane: Lane<PlainTask>,
    task: PlainTask,
    status: number,
    value: unknown,
    startedAt: number,
    runUs: number,
  ): void {
    this.answers.push({ task, status, value, startedAt, runUs })
  }

  late(): void {
    this.lateAnswers++
  }

  batchTaken(): void {
    this.batches++
  }

  unsendable(task: PlainTask, error: unknown): void {
    this.unsent.push({ task, error })
  }

  control(_lane: Lane<PlainTask>, message: WorkerControl): void {
    this.controls.push(message)
  }
}

const open: FakeThread[] = []
afterEach(() => {
  for (const thread of open.splice(0)) thread.dispose()
})

function newLane() {
  const clock = new FakeClock()
  const owner = new Owner()
  let lane!: Lane<PlainTask>
  const events = {
    hello: (port: ConstructorParameters<typeof Lane>[0], board: SharedArrayBuffer) => {
      lane = new Lane<PlainTask>(port, board, owner, 0)
    },
    exit: () => {},
  }
  const thread = new FakeThread(1, { slot: 0, moduleUrl: '/tasks.js', ioWindow: 4, depth: 0 }, events, clock)
  thread.hello().knows(NAMES)
  lane.names = NAMES
  open.push(thread)
  const post = (...tasks: PlainTask[]) => {
    for (const task of tasks) lane.post(task, clock.nowMs())
  }
  /** Runs all that was sent and takes the answers in. */
  const finishAll = () => {
    for (const kind of ['cpu', 'io'] as const) thread.runAll(kind)
    lane.readPort()
  }
  return { clock, owner, lane, thread, post, finishAll }
}

const tasksOf = (count: number, fields: (at: number) => Partial<PlainTask> = (at) => ({ payload: at })) =>
  Array.from({ length: count }, (_, at) => new PlainTask(fields(at)))

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)

describe('posting', () => {
  test('sends nothing before the flush, then one message per kind', () => {
    const { lane, thread, post } = newLane()
    post(...tasksOf(3), new PlainTask({ kind: 'io' }), new PlainTask({ name: 'other' }))
    expect(thread.receive()).toBe(0)
    expect([lane.cpu.size, lane.io.size, lane.outstanding]).toEqual([4, 1, 5])
    lane.flush()
    thread.receive()
    expect(thread.batches).toEqual([['work', 'work', 'work', 'other'], ['fetch']])
    lane.flush()
    expect(thread.receive()).toBe(0)
  })

  test('carries name, attempt and payload', () => {
    const { lane, thread, post } = newLane()
    post(new PlainTask({ name: 'other', attempt: 3, payload: { deep: [1n, new Date(0)] } }))
    lane.flush()
    const held = thread.start()!
    expect([held.name, held.attempt, held.payload]).toEqual(['other', 3, { deep: [1n, new Date(0)] }])
  })

  test('knows which names the module offers', () => {
    const { lane } = newLane()
    expect([lane.offers('work'), lane.offers('toString'), lane.offers('gone')]).toEqual([true, false, false])
  })

  test('keeps the time of the first task of each kind since there was none', () => {
    const { clock, lane, post, finishAll } = newLane()
    const startMs = clock.nowMs()
    post(new PlainTask())
    clock.advance(5)
    post(new PlainTask(), new PlainTask({ kind: 'io' }))
    expect([lane.cpuSinceMs, lane.ioSinceMs]).toEqual([startMs, startMs + 5])
    lane.flush()
    finishAll()
    clock.advance(5)
    post(new PlainTask())
    expect(lane.cpuSinceMs).toBe(startMs + 10)
  })

  test('moves the objects of a transfer list, in a message of its own and in order', () => {
    const { lane, thread, post } = newLane()
    const bytes = new Uint8Array([1, 2, 3])
    post(new PlainTask({ payload: 'before' }), new PlainTask({ payload: bytes, transfer: [bytes.buffer] }))
    expect(bytes.byteLength).toBe(0)
    post(new PlainTask({ payload: 'after' }))
    lane.flush()
    thread.receive()
    expect(thread.inbox.map(({ payload }) => payload)).toEqual(['before', new Uint8Array([1, 2, 3]), 'after'])
    expect(thread.batches.map((names) => names.length)).toEqual([1, 1, 1])
  })

  test('an empty transfer list is none', () => {
    const { lane, thread, post } = newLane()
    post(new PlainTask({ transfer: [] }), new PlainTask())
    lane.flush()
    thread.receive()
    expect(thread.batches).toEqual([['work', 'work']])
  })
})

describe('a payload that cannot be sent', () => {
  test('among a hundred fails alone; the others arrive in order and answer', () => {
    const { lane, owner, post, finishAll } = newLane()
    const tasks = tasksOf(100, (at) => ({ payload: at === 41 ? { fn() {} } : at, payloadBytes: 10 }))
    post(...tasks)
    lane.flush()
    expect(owner.unsent).toHaveLength(1)
    expect(owner.unsent[0]!.task).toBe(tasks[41])
    expect((owner.unsent[0]!.error as Error).name).toBe('DataCloneError')
    expect([lane.outstanding, lane.payloadBytes, lane.freeWords]).toEqual([99, 990, CLAIMS_PER_LANE - 99])
    finishAll()
    expect(owner.answers.map(({ value }) => value)).toEqual([...numbers(0, 41), ...numbers(42, 100)])
    expect([lane.outstanding, lane.payloadBytes, lane.freeWords]).toEqual([0, 0, CLAIMS_PER_LANE])
  })

  test('that was taken back before the flush costs only its word, which comes back', () => {
    const { lane, owner, post } = newLane()
    const bad = new PlainTask({ payload: () => 1 })
    post(bad)
    expect(lane.takeBackOne(bad)).toBe(true)
    lane.flush()
    expect(owner.unsent).toEqual([])
    expect(lane.freeWords).toBe(CLAIMS_PER_LANE)
  })

  test('with a transfer list fails without moving anything', () => {
    const { owner, lane, post } = newLane()
    const bytes = new Uint8Array(4)
    post(new PlainTask({ payload: { bytes, fn() {} }, transfer: [bytes.buffer] }))
    expect(owner.unsent).toHaveLength(1)
    expect(bytes.byteLength).toBe(4)
    expect(lane.outstanding).toBe(0)
  })

  test('while it is sent may lead the owner to post another task', () => {
    const { lane, owner, post, finishAll } = newLane()
    const next = new PlainTask({ payload: 'next' })
    vi.spyOn(owner, 'unsendable').mockImplementation(() => post(next))
    post(new PlainTask({ payload: () => 1 }), new PlainTask({ payload: 'neighbour' }))
    lane.flush()
    lane.flush()
    finishAll()
    expect(owner.answers.map(({ value }) => value).sort()).toEqual(['neighbour', 'next'])
  })
})

describe('answers', () => {
  test('reach the owner in the order they were given, with status, start and run time', async () => {
    const { clock, lane, owner, thread, post } = newLane()
    const tasks = tasksOf(2)
    post(...tasks)
    lane.flush()
    clock.advance(7)
    thread.end(thread.start()!, 'fine', OK, 2)
    thread.fail(thread.start()!, new RangeError('no'), 3)
    thread.answer()
    await vi.waitFor(() => expect(owner.batches).toBe(1))
    expect(owner.answers.map(({ task, status, runUs }) => [task === tasks[0], status, runUs])).toEqual([
      [true, OK, 2_000],
      [false, FAILED, 3_000],
    ])
    expect(owner.answers[0]!.startedAt).toBe(ticksOf(clock.nowMs()))
    expect(tasks.map(({ key }) => key)).toEqual([-1, -1])
  })

  test('are taken in by readPort without waiting for the event', () => {
    const { lane, owner, thread, post } = newLane()
    post(...tasksOf(3))
    lane.flush()
    thread.runAll()
    expect(owner.answers).toHaveLength(0)
    lane.readPort()
    expect(owner.answers).toHaveLength(3)
    lane.readPort()
    expect(owner.answers).toHaveLength(3)
  })

  test('may lead the owner to post and take back at once', () => {
    const { lane, owner, thread, post, finishAll } = newLane()
    const tasks = tasksOf(4)
    let again: PlainTask[] = []
    vi.spyOn(owner, 'batchTaken').mockImplementation(() => {
      if (again.length > 0) return
      again = lane.takeBack(lane.cpu)
      post(...again)
      lane.flush()
    })
    post(...tasks)
    lane.flush()
    thread.end(thread.start()!, 'first')
    thread.answer()
    lane.readPort()
    expect(again).toEqual(tasks.slice(1))
    finishAll()
    expect(owner.answers.map(({ value }) => value)).toEqual(['first', 1, 2, 3])
    expect(lane.freeWords).toBe(CLAIMS_PER_LANE)
  })

  test('controls come through in their place', () => {
    const { lane, owner, thread } = newLane()
    thread.loaded(NAMES)
    thread.loadFailed(new Error('no'))
    lane.readPort()
    expect(owner.controls.map(({ type }) => type)).toEqual(['loaded', 'loadFailed'])
  })
})

describe('taking back', () => {
  test('goes from the newest to the first started one, and answers oldest first', () => {
    const { lane, thread, post } = newLane()
    const tasks = tasksOf(6)
    post(...tasks)
    lane.flush()
    thread.start()
    thread.start()
    expect(lane.takeBack(lane.cpu)).toEqual(tasks.slice(2))
    expect([...lane.cpu]).toEqual(tasks.slice(0, 2))
    expect(lane.takeBack(lane.cpu)).toEqual([])
  })

  test('stops when it has enough', () => {
    const { lane, post } = newLane()
    const tasks = tasksOf(10)
    post(...tasks)
    expect(lane.takeBack(lane.cpu, () => lane.cpu.size <= 7)).toEqual(tasks.slice(7))
  })

  test('looks no further than one useless attempt', () => {
    const { lane, thread, post } = newLane()
    post(...tasksOf(50))
    lane.flush()
    for (let started = 0; started < 50; started++) thread.start()
    const swaps = vi.spyOn(Atomics, 'compareExchange')
    expect(lane.takeBack(lane.cpu)).toEqual([])
    expect(swaps).toHaveBeenCalledTimes(1)
    swaps.mockRestore()
  })

  test('one kind leaves the other alone', () => {
    const { lane, post } = newLane()
    const io = new PlainTask({ kind: 'io' })
    post(new PlainTask(), io)
    expect(lane.takeBack(lane.io)).toEqual([io])
    expect(lane.cpu.size).toBe(1)
  })

  test('includes what was not sent yet', () => {
    const { lane, thread, post, finishAll, owner } = newLane()
    const [task] = tasksOf(1)
    post(task!)
    expect(lane.takeBackOne(task!)).toBe(true)
    lane.flush()
    expect(thread.receive()).toBe(1)
    finishAll()
    expect(owner.answers).toEqual([])
    expect(lane.freeWords).toBe(CLAIMS_PER_LANE)
  })

  test('keeps the word until the worker has skipped the message, however often that is done', () => {
    const { lane, thread, post, finishAll } = newLane()
    const used = new Set<number>()
    let words = CLAIMS_PER_LANE
    while (lane.freeWords > 0) {
      const [task] = tasksOf(1)
      post(task!)
      used.add(indexOf(task!.key))
      expect(lane.takeBackOne(task!)).toBe(true)
      words--
      expect(lane.freeWords).toBe(words)
    }
    // The worker was blocked all the while: it holds as many messages as there are words, and no more.
    expect(used.size).toBe(CLAIMS_PER_LANE)
    lane.flush()
    expect(thread.receive()).toBe(CLAIMS_PER_LANE)
    finishAll()
    expect(lane.freeWords).toBe(CLAIMS_PER_LANE)
  })

  test('a task posted again elsewhere is not answered twice', () => {
    const first = newLane()
    const second = newLane()
    const [task] = tasksOf(1)
    first.post(task!)
    first.lane.flush()
    first.lane.takeBackOne(task!)
    second.post(task!)
    second.lane.flush()
    first.finishAll()
    second.finishAll()
    expect(first.owner.answers).toEqual([])
    expect(second.owner.answers.map(({ value }) => value)).toEqual([0])
  })
})

describe('ending a running task', () => {
  function running() {
    const made = newLane()
    const [task, other] = tasksOf(2)
    made.post(task!, other!)
    made.lane.flush()
    const held = made.thread.start()!
    return { ...made, task: task!, other: other!, held }
  }

  test('asks with a message and a word, only while it runs', () => {
    const { lane, thread, task, other, held } = running()
    const reason = encodeError(new Error('enough'), () => true)
    expect(lane.askToEnd(other, reason)).toBe(false)
    expect(lane.askToEnd(task, reason)).toBe(true)
    expect(lane.stateOf(task)).toBe(ABORTING)
    thread.receive()
    expect(thread.told).toEqual([{ type: 'abort', key: held.key, reason }])
    expect(thread.end(held, 'late but fine')).toBe(true)
    expect(lane.stateOf(task)).toBe(DONE)
    expect(lane.askToEnd(task, reason)).toBe(false)
  })

  test('dooms it, after which it cannot finish', () => {
    const { lane, thread, task, held } = running()
    expect(lane.doom(task)).toBe(true)
    expect(lane.stateOf(task)).toBe(DOOMED)
    expect(thread.end(held, 'too late')).toBe(false)
  })

  test('does not doom what has finished', () => {
    const { lane, thread, task, held, owner } = running()
    thread.end(held, 'in time')
    expect(lane.doom(task)).toBe(false)
    thread.answer()
    lane.readPort()
    expect(owner.answers[0]!.value).toBe('in time')
  })

  test('names the task that holds the turn until it is done', () => {
    const { lane, thread, task, held } = running()
    expect(lane.runningTask).toBe(task)
    expect(lane.taskOf(held.key)).toBe(task)
    lane.askToEnd(
      task,
      encodeError(0, () => true),
    )
    expect(lane.runningTask).toBe(task)
    lane.doom(task)
    expect(lane.runningTask).toBe(task)
    thread.row.running(-1)
    expect(lane.runningTask).toBeUndefined()
  })

  test('does not name a task whose word moved on', () => {
    const { lane, thread, post, held, finishAll } = running()
    thread.end(held, 1)
    finishAll()
    expect(lane.taskOf(held.key)).toBeUndefined()
    expect(lane.taskOf(-1)).toBeUndefined()
    post(...tasksOf(CLAIMS_PER_LANE))
    expect(lane.taskOf(held.key)).toBeUndefined()
  })

  test('abandoned, its late answer frees the word and is counted', () => {
    const { lane, thread, task, held, owner } = running()
    lane.abandon(task)
    expect([lane.outstanding, task.key]).toEqual([1, -1])
    expect(lane.freeWords).toBe(CLAIMS_PER_LANE - 2)
    thread.end(held, 'nobody waits')
    thread.answer()
    lane.readPort()
    expect(owner.lateAnswers).toBe(1)
    expect(owner.answers).toEqual([])
    expect(lane.freeWords).toBe(CLAIMS_PER_LANE - 1)
  })
})

describe('after the death of the thread', () => {
  test('close takes in what was still posted; the rest is told apart by its word', () => {
    const { lane, thread, post, owner } = newLane()
    const tasks = tasksOf(4)
    post(...tasks)
    lane.flush()
    thread.end(thread.start()!, 'delivered')
    thread.answer()
    thread.end(thread.start()!, 'lost in the outbox')
    thread.start()
    thread.die()
    lane.close()
    expect(owner.answers.map(({ value }) => value)).toEqual(['delivered'])
    expect([...lane.cpu].map((task) => lane.stateOf(task))).toEqual([DONE, CLAIMED, POSTED])
    expect(lane.takeBack(lane.cpu)).toEqual([tasks[3]])
    expect([...lane.cpu]).toEqual(tasks.slice(1, 3))
  })

  test('tasks that were not even sent are taken back like others', () => {
    const { lane, thread, post } = newLane()
    const tasks = tasksOf(3)
    post(...tasks)
    thread.die()
    lane.close()
    expect(lane.takeBack(lane.cpu)).toEqual(tasks)
    expect(lane.outstanding).toBe(0)
  })

  test('what is told or flushed to it does no harm', () => {
    const { lane, thread, post } = newLane()
    thread.die()
    lane.close()
    post(new PlainTask())
    expect(() => {
      lane.flush()
      lane.tell({ type: 'stop' })
      lane.readPort()
    }).not.toThrow()
  })
})

describe('the accounts', () => {
  type Act = 'post' | 'postIo' | 'flush' | 'start' | 'end' | 'answer' | 'takeBack' | 'read'
  const act = fc.constantFrom<Act>('post', 'postIo', 'flush', 'start', 'end', 'answer', 'takeBack', 'read')
  // Fractions whose sums do not come out even.
  const weight = fc.double({ min: 1e-4, max: 10, noNaN: true })

  test('agree with the tasks that the lane holds, whatever happens, and are exactly zero when it holds none', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(act, weight), { maxLength: 80 }), (acts) => {
        const { lane, thread, post, finishAll } = newLane()
        const perform: Record<Act, (ms: number) => void> = {
          post: (ms) => post(new PlainTask({ expectedMs: ms, payloadBytes: Math.ceil(ms) })),
          postIo: (ms) => post(new PlainTask({ kind: 'io', expectedMs: ms, payloadBytes: 3 })),
          flush: () => lane.flush(),
          start: () => thread.start() ?? thread.start('io'),
          end: () => thread.running[0] && thread.end(thread.running[0], 0),
          answer: () => thread.answer(),
          takeBack: (ms) => lane.takeBack(ms < 5 ? lane.cpu : lane.io, () => ms % 1 < 0.5),
          read: () => lane.readPort(),
        }
        for (const [name, ms] of acts) {
          perform[name](ms)
          const held = [...lane.cpu, ...lane.io]
          expect(lane.outstanding).toBe(held.length)
          expect(lane.payloadBytes).toBe(held.reduce((sum, task) => sum + task.payloadBytes, 0))
          expect(lane.expectedMs).toBeCloseTo(
            [...lane.cpu].reduce((sum, task) => sum + task.expectedMs, 0),
            6,
          )
          if (lane.cpu.size === 0) expect(lane.expectedMs).toBe(0)
        }
        lane.flush()
        for (const held of [...thread.running]) thread.end(held, 0)
        finishAll()
        thread.answer()
        lane.readPort()
        expect([lane.outstanding, lane.expectedMs, lane.payloadBytes, lane.freeWords]).toEqual([
          0,
          0,
          0,
          CLAIMS_PER_LANE,
        ])
        expect(Array.from(thread.board.state, (word) => word & 7).every((state) => state === 0)).toBe(true)
        thread.dispose()
      }),
      { numRuns: 60 },
    )
  })

  test('a revoked word shows its state until it is free', () => {
    const { lane, thread, post } = newLane()
    const [task] = tasksOf(1)
    post(task!)
    const { key } = task!
    lane.takeBackOne(task!)
    expect(stateOf(thread.board.state, key)).toBe(REVOKED)
  })
})
