import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import '../support/seeded-properties.js'
import { CLAIMS_PER_LANE } from '../../src/board/layout.js'
import { FAILED, OK } from '../../src/protocol/batch.js'
import { NAMES, newLane, tasksOf } from './driven-lane.js'
import { PlainTask } from './lane-tasks.js'

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
    const { lane, owner, post, finishAll } = newLane()
    const task = new PlainTask({ payload: 1 })
    post(task)
    expect(lane.takeBackOne(task)).toBe(true)
    lane.flush()
    expect(lane.freeWords).toBe(CLAIMS_PER_LANE - 1)
    finishAll()
    expect(owner.answers).toEqual([])
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

  test('because its buffer was moved before is told, not lost on the way', () => {
    const { owner, lane, post, finishAll } = newLane()
    const bytes = new Uint8Array(4)
    post(new PlainTask({ payload: bytes, transfer: [bytes.buffer] }))
    post(new PlainTask({ payload: bytes, transfer: [bytes.buffer] }))
    expect(owner.unsent.map(({ error }) => (error as Error).name)).toEqual(['DataCloneError'])
    expect(String(owner.unsent[0]!.error)).toContain('already moved')
    finishAll()
    expect(owner.answers.map(({ value }) => value)).toEqual([new Uint8Array(4)])
    expect(lane.freeWords).toBe(CLAIMS_PER_LANE)
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
    await vi.waitFor(() => expect(owner.batches).toBe(2))
    expect(owner.answers.map(({ task, status, runUs }) => [task === tasks[0], status, runUs])).toEqual([
      [true, OK, 2_000],
      [false, FAILED, 3_000],
    ])
    expect(owner.answers[0]!.startedAt).toBe(clock.nowMs())
    expect(tasks.map(({ key }) => key)).toEqual([-1, -1])
  })

  test('are taken in by readAnswers without waiting for the event', () => {
    const { lane, owner, thread, post } = newLane()
    post(...tasksOf(3))
    lane.flush()
    thread.runAll()
    expect(owner.answers).toHaveLength(0)
    lane.readAnswers()
    expect(owner.answers).toHaveLength(3)
    lane.readAnswers()
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
    lane.readAnswers()
    expect(again).toEqual(tasks.slice(1))
    finishAll()
    expect(owner.answers.map(({ value }) => value)).toEqual(['first', 1, 2, 3])
    expect(lane.freeWords).toBe(CLAIMS_PER_LANE)
  })

  test('controls come through in their place', () => {
    const { lane, owner, thread } = newLane()
    thread.loaded(NAMES)
    thread.loadFailed(new Error('no'))
    lane.readAnswers()
    expect(owner.controls.map(({ type }) => type)).toEqual(['loaded', 'loadFailed'])
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
          read: () => lane.readAnswers(),
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
        lane.readAnswers()
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
})
