import { afterEach, describe, expect, test } from 'vitest'
import type { PoolWorker } from '../../../src/dispatcher/crew/pool-worker.js'
import type { RunOptions } from '../../../src/dispatcher/options/run-options.js'
import { EarlyEnds, Tags } from '../../../src/dispatcher/settling/early-ends.js'
import type { Task } from '../../../src/dispatcher/tasks/task.js'
import { FakeCrew } from '../../support/fake-crew.js'
import { newTask, newTasks, statsOf } from '../../support/new-task.js'

const GRACE_MS = 100

/** Early ends over one fake worker; what they ask for is noted, and a rejected task settles as the ledger would do it. */
class Scene {
  readonly crew = new FakeCrew(1)
  readonly rejected: { task: Task; error: unknown }[] = []
  readonly removed: Task[] = []
  readonly asked: string[] = []
  onIsolate = () => {}
  readonly earlyEnds: EarlyEnds

  constructor(graceMs = GRACE_MS) {
    const note = (what: string) => (worker: PoolWorker) => void this.asked.push(`${what} ${worker.slot}`)
    const worker = this.crew.worker(0)
    worker.terminate = () => note('terminate')(worker)
    const ender = {
      remove: (task: Task) => void this.removed.push(task),
      reject: (task: Task, error: unknown) => {
        task.place = 'settled'
        this.earlyEnds.forget(task)
        this.rejected.push({ task, error })
      },
    }
    const keeper = {
      isolate: (isolated: PoolWorker) => {
        note('isolate')(isolated)
        this.onIsolate()
      },
      recycle: note('recycle'),
      draining: { settle() {} },
    }
    this.earlyEnds = new EarlyEnds(this.crew.workers, graceMs, this.crew.clock, ender, keeper)
  }

  get codes(): unknown[] {
    return this.rejected.map(({ error }) => (error as { code?: string }).code)
  }

  /** An accepted task that waits. */
  waiting(options: RunOptions, kind: 'cpu' | 'io' = 'cpu'): Task {
    const stats = statsOf(kind === 'io' ? 'fetch' : 'work', kind)
    const task = newTask({ stats, options, submittedMs: this.crew.clock.nowMs() })
    this.earlyEnds.watch(task)
    return task
  }

  posted(options: RunOptions, kind: 'cpu' | 'io' = 'cpu'): Task {
    const task = this.waiting(options, kind)
    this.crew.post(0, task)
    this.earlyEnds.posted(task)
    return task
  }

  running(options: RunOptions, kind: 'cpu' | 'io' = 'cpu') {
    const task = this.posted(options, kind)
    return { task, held: this.crew.thread(0).start(kind)! }
  }

  pass(ms: number): void {
    this.crew.clock.advance(ms)
    this.earlyEnds.expire(this.crew.clock.nowMs())
  }

  /** The process stands still, and looks late. */
  stop(ms: number): void {
    this.crew.clock.stop(ms)
    this.earlyEnds.expire(this.crew.clock.nowMs(), ms)
  }
}

let scene: Scene
afterEach(() => scene.crew.dispose())

function newScene(graceMs?: number): Scene {
  scene = new Scene(graceMs)
  return scene
}

describe('while it waits', () => {
  test.each([
    [{ queueTimeoutMs: 50 }, 'EVENKEEL_QUEUE_TIMEOUT'],
    [{ deadlineMs: 50 }, 'EVENKEEL_DEADLINE'],
  ])('%j removes and rejects a task, not before its time', (options, code) => {
    const { earlyEnds, pass } = bound(newScene())
    const task = scene.waiting(options)
    pass(49)
    expect(scene.rejected).toEqual([])
    pass(1)
    expect(scene.removed).toEqual([task])
    expect(scene.rejected[0]!.error).toMatchObject({ code, limitMs: 50, task: 'work', name: 'TimeoutError' })
    expect(earlyEnds.watched).toBe(0)
  })

  test('the run time does not count', () => {
    const { pass } = bound(newScene())
    scene.waiting({ runTimeoutMs: 10 })
    pass(10_000)
    expect(scene.rejected).toEqual([])
  })

  test('an abort removes it at once', () => {
    const { earlyEnds } = newScene()
    const controller = new AbortController()
    const task = scene.waiting({ signal: controller.signal })
    expect(earlyEnds.watched).toBe(1)
    controller.abort('why')
    expect(scene.removed).toEqual([task])
    expect(scene.rejected[0]!.error).toMatchObject({ code: 'EVENKEEL_ABORTED', cause: 'why' })
    expect(earlyEnds.watched).toBe(0)
  })

  test('a task that settled meanwhile is left alone', () => {
    const { earlyEnds } = newScene()
    const task = scene.waiting({ deadlineMs: 5 })
    task.place = 'settled'
    earlyEnds.end(task, new Error('late'))
    expect([scene.removed, scene.rejected]).toEqual([[], []])
  })
})

describe('while it is posted', () => {
  test('a queue limit takes it back', () => {
    const { pass } = bound(newScene())
    const task = scene.posted({ queueTimeoutMs: 50 })
    pass(50)
    expect(scene.codes).toEqual(['EVENKEEL_QUEUE_TIMEOUT'])
    expect(scene.removed).toEqual([])
    expect(scene.crew.lane(0).outstanding).toBe(0)
    expect(scene.crew.thread(0).start()).toBeUndefined()
    expect(task.ending).toBeUndefined()
  })

  test('an abort takes it back, and the worker skips it', () => {
    newScene()
    const controller = new AbortController()
    scene.posted({ signal: controller.signal })
    controller.abort()
    expect(scene.codes).toEqual(['EVENKEEL_ABORTED'])
    expect(scene.crew.thread(0).start()).toBeUndefined()
  })

  test.each([0, 0.1 * 3, 50])(
    'a run limit of %s ms does not count before the start, and the look ends',
    (runTimeoutMs) => {
      const { earlyEnds, pass } = bound(newScene())
      scene.posted({ runTimeoutMs })
      pass(500)
      expect(scene.rejected).toEqual([])
      expect(earlyEnds.watched).toBe(1)
    },
  )

  test('a run limit whose rounding leaves next to nothing is looked at again, not for ever', () => {
    const { pass } = bound(newScene())
    scene.running({ runTimeoutMs: 0.1 + 0.2 })
    pass(0.3)
    pass(1)
    expect(scene.crew.thread(0).receive()).toBe(0)
    expect(scene.crew.thread(0).told).toHaveLength(1)
  })
})

describe('while it runs', () => {
  test('a run limit counts from the start, not from the submission', () => {
    const { pass } = bound(newScene())
    const task = scene.posted({ runTimeoutMs: 50 })
    pass(1_000)
    scene.crew.thread(0).start()
    pass(40)
    expect(task.ending).toBeUndefined()
    pass(20)
    expect(task.ending).toMatchObject({ code: 'EVENKEEL_TIMEOUT', limitMs: 50 })
    expect(scene.rejected).toEqual([])
  })

  test('a queue limit is over once it has started', () => {
    const { pass } = bound(newScene())
    const { task } = scene.running({ queueTimeoutMs: 50 })
    pass(500)
    expect(task.ending).toBeUndefined()
    expect(scene.rejected).toEqual([])
  })

  test('it is asked to end, and told why', () => {
    const { pass } = bound(newScene())
    const { held } = scene.running({ deadlineMs: 50 })
    pass(50)
    scene.crew.thread(0).receive()
    expect(scene.crew.thread(0).told).toEqual([expect.objectContaining({ type: 'abort', key: held.key })])
    expect(scene.asked).toEqual([])
  })

  test('it is asked once, whatever else comes due', () => {
    const { pass } = bound(newScene())
    const controller = new AbortController()
    const { task } = scene.running({ deadlineMs: 50, runTimeoutMs: 60, signal: controller.signal })
    pass(50)
    const first = task.ending
    controller.abort()
    pass(20)
    expect(task.ending).toBe(first)
    scene.crew.thread(0).receive()
    expect(scene.crew.thread(0).told).toHaveLength(1)
  })

  test('without a grace time it goes with its thread within the call', () => {
    const controller = new AbortController()
    const { task } = newScene(0).running({ signal: controller.signal })
    controller.abort()
    expect(scene.codes).toEqual(['EVENKEEL_ABORTED'])
    expect([task.place, scene.asked]).toEqual(['settled', ['isolate 0', 'terminate 0']])
    expect(scene.earlyEnds.watched).toBe(0)
  })

  test('a CPU task that does not end within the grace time goes with its thread', () => {
    const { pass } = bound(newScene())
    const { held } = scene.running({ runTimeoutMs: 50 })
    pass(50)
    pass(GRACE_MS - 1)
    expect(scene.asked).toEqual([])
    pass(1)
    expect(scene.asked).toEqual(['isolate 0', 'terminate 0'])
    expect(scene.codes).toEqual(['EVENKEEL_TIMEOUT'])
    // Doomed: a worker that gets that far neither answers nor claims any more.
    expect(scene.crew.thread(0).end(held, 'late')).toBe(false)
  })

  test('an I/O task on a live loop is abandoned, its worker replaced in time, its answer counted as late', () => {
    const { pass } = bound(newScene())
    const { held } = scene.running({ runTimeoutMs: 50 }, 'io')
    pass(50)
    pass(GRACE_MS)
    expect(scene.codes).toEqual(['EVENKEEL_TIMEOUT'])
    expect(scene.asked).toEqual(['recycle 0'])
    scene.crew.thread(0).end(held, 'late')
    scene.crew.thread(0).answer()
    scene.crew.lane(0).readAnswers()
    expect(scene.crew.owner).toMatchObject({ lateAnswers: 1, answers: [] })
  })

  test('an I/O task on a stalled loop goes with its thread', () => {
    const { pass } = bound(newScene())
    scene.running({ runTimeoutMs: 50 }, 'io')
    pass(50)
    scene.crew.worker(0).lagMs = 500
    pass(GRACE_MS)
    expect(scene.asked).toEqual(['isolate 0', 'terminate 0'])
    expect(scene.codes).toEqual(['EVENKEEL_TIMEOUT'])
  })
})

describe('a limit that is noticed late', () => {
  test('never rejects a task whose answer is in the port', () => {
    const { pass } = bound(newScene())
    const { task, held } = scene.running({ runTimeoutMs: 50, deadlineMs: 60 })
    scene.crew.thread(0).end(held, 'in time')
    scene.crew.thread(0).answer()
    pass(5_000)
    expect(scene.rejected).toEqual([])
    scene.crew.lane(0).readAnswers()
    expect(scene.crew.owner.answers).toEqual([expect.objectContaining({ task, value: 'in time' })])
  })

  test('never rejects a task that is done, its answer still with the worker', () => {
    const { earlyEnds, pass } = bound(newScene())
    const { task, held } = scene.running({ deadlineMs: 50 })
    scene.crew.thread(0).end(held, 'in time')
    pass(5_000)
    expect([scene.rejected, scene.asked, task.ending]).toEqual([[], [], undefined])
    expect(earlyEnds.watched).toBe(0)
  })

  test('waits for the answer of a task that ended within the grace time', () => {
    const { pass } = bound(newScene())
    const { task, held } = scene.running({ runTimeoutMs: 50 })
    scene.crew.clock.advance(50)
    scene.earlyEnds.end(task, new Error('limit'))
    scene.crew.thread(0).end(held, 'in time')
    pass(5_000)
    pass(5_000)
    expect([scene.rejected, scene.asked]).toEqual([[], []])
    scene.crew.thread(0).answer()
    pass(5_000)
    expect(scene.crew.owner.answers).toHaveLength(1)
    expect(scene.asked).toEqual([])
  })

  test('lets a task be that ends while its worker is being isolated', () => {
    const { pass } = bound(newScene())
    const { held } = scene.running({ runTimeoutMs: 50 })
    pass(50)
    const thread = scene.crew.thread(0)
    scene.onIsolate = () => thread.end(held, 'just in time')
    pass(GRACE_MS)
    expect([scene.asked, scene.rejected]).toEqual([['isolate 0'], []])
    thread.answer()
    pass(GRACE_MS)
    expect(scene.crew.owner.answers.map(({ value }) => value)).toEqual(['just in time'])
    expect(scene.asked).toEqual(['isolate 0'])
  })

  test('never ends the task that runs next', () => {
    const { pass } = bound(newScene())
    const { held } = scene.running({ runTimeoutMs: 50 })
    pass(50)
    const next = scene.posted({})
    const thread = scene.crew.thread(0)
    thread.end(held, 'ended')
    const nextHeld = thread.start()!
    pass(GRACE_MS)
    expect(scene.asked).toEqual([])
    expect(next.ending).toBeUndefined()
    expect(thread.end(nextHeld, 'fine')).toBe(true)
    thread.answer()
    pass(10 * GRACE_MS)
    scene.crew.lane(0).readAnswers()
    expect(scene.crew.owner.answers.map(({ value }) => value)).toEqual(['ended', 'fine'])
  })
})

describe('several attempts', () => {
  test('the deadline spans them, the wait for the first start does not', () => {
    const { pass } = bound(newScene())
    const task = scene.waiting({ deadlineMs: 100, queueTimeoutMs: 50 })
    task.attempt = 2
    task.place = 'delay'
    pass(60)
    expect(scene.rejected).toEqual([])
    pass(40)
    expect(scene.codes).toEqual(['EVENKEEL_DEADLINE'])
  })
})

test('a settled task is watched no more', () => {
  const { earlyEnds, pass } = bound(newScene())
  const { signal } = new AbortController()
  const task = scene.waiting({ deadlineMs: 50, signal })
  expect(earlyEnds.watched).toBe(2)
  earlyEnds.forget(task)
  expect(earlyEnds.watched).toBe(0)
  pass(100)
  expect(scene.rejected).toEqual([])
})

function bound(made: Scene) {
  return { earlyEnds: made.earlyEnds, pass: (ms: number) => made.pass(ms) }
}

describe('while the process stood still', () => {
  test('no task ran: the time counts for no run, in whichever order stop and start came', () => {
    scene = new Scene()
    scene.running({ runTimeoutMs: 200 })
    scene.pass(100)
    scene.stop(3_000)
    scene.pass(90)
    expect(scene.crew.thread(0).told).toEqual([])
    scene.pass(20)
    scene.crew.thread(0).receive()
    expect(scene.crew.thread(0).told.map(({ type }) => type)).toEqual(['abort'])
  })

  test('a task that was asked to end has its whole grace time left', () => {
    scene = new Scene()
    scene.running({ runTimeoutMs: 50 })
    scene.pass(60)
    scene.pass(10)
    scene.stop(5_000)
    scene.pass(GRACE_MS - 20)
    expect(scene.asked).toEqual([])
    scene.pass(GRACE_MS + 20)
    scene.pass(GRACE_MS + 20)
    expect(scene.asked).toContain('terminate 0')
  })

  test('a deadline passed all the same, and so did the longest wait', () => {
    scene = new Scene()
    scene.running({ deadlineMs: 200 })
    const waits = scene.waiting({ queueTimeoutMs: 200 })
    scene.stop(3_000)
    scene.crew.thread(0).receive()
    expect(scene.crew.thread(0).told.map(({ type }) => type)).toEqual(['abort'])
    expect(scene.removed).toEqual([waits])
  })
})

test('a run is limited after days as after seconds', () => {
  scene = new Scene()
  const day = 86_400_000
  scene.running({ runTimeoutMs: 2.55 * day })
  for (let hour = 0; hour < 61; hour++) scene.pass(3_600_000)
  scene.crew.thread(0).receive()
  expect(scene.crew.thread(0).told).toEqual([])
  scene.pass(3_600_000)
  scene.crew.thread(0).receive()
  expect(scene.crew.thread(0).told.map(({ type }) => type)).toEqual(['abort'])
})

describe('tags', () => {
  test('tasks are found by their tag in the order in which they came', () => {
    const tags = new Tags()
    const [first, second, other] = newTasks(3)
    tags.add('a', first!)
    tags.add('b', other!)
    tags.add('a', second!)
    expect(tags.of('a')).toEqual([first, second])
    expect(tags.of('b')).toEqual([other])
    expect(tags.of('c')).toEqual([])
  })

  test('a tag is forgotten with its last task', () => {
    const tags = new Tags()
    const [first, second] = newTasks(2)
    tags.add('a', first!)
    tags.add('a', second!)
    tags.remove('a', first!)
    expect([tags.of('a'), tags.size]).toEqual([[second], 1])
    tags.remove('a', second!)
    tags.remove('a', second!)
    expect(tags.size).toBe(0)
  })
})
