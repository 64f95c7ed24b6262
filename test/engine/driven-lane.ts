import { onTestFinished } from 'vitest'
import { Lane, type LaneOwner } from '../../src/engine/lane.js'
import type { WorkerControl } from '../../src/protocol/control.js'
import { FakeClock } from '../support/fake-clock.js'
import { FakeThread } from '../support/fake-thread.js'
import { PlainTask } from './lane-tasks.js'

export const NAMES = ['work', 'other', 'fetch']

/** What the owner of the lane heard, in order. */
class Owner implements LaneOwner<PlainTask> {
  readonly answers: { task: PlainTask; status: number; value: unknown; startedAt: number; runUs: number }[] = []
  readonly unsent: { task: PlainTask; error: unknown }[] = []
  readonly controls: WorkerControl[] = []
  readonly unreadTasks: PlainTask[] = []
  readonly unheardOf: { task: PlainTask; error: unknown }[] = []
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

  unread(task: PlainTask): void {
    this.unreadTasks.push(task)
  }

  unheard(task: PlainTask, error: unknown): void {
    this.unheardOf.push({ task, error })
  }

  control(_lane: Lane<PlainTask>, message: WorkerControl): void {
    this.controls.push(message)
  }
}

export function newLane() {
  const clock = new FakeClock()
  const owner = new Owner()
  let lane!: Lane<PlainTask>
  const events = {
    hello: (port: ConstructorParameters<typeof Lane>[0], board: SharedArrayBuffer) => {
      lane = new Lane<PlainTask>(port, board, owner, 0, clock)
    },
    message: () => {},
    exit: () => {},
  }
  const thread = new FakeThread(
    1,
    { slot: 0, moduleUrl: '/tasks.js', ioWindow: 4, depth: 0, capturesOutput: false, reportsHeap: false },
    events,
    clock,
  )
  thread.hello().knows(NAMES)
  lane.names = NAMES
  onTestFinished(() => thread.dispose())
  const post = (...tasks: PlainTask[]) => {
    for (const task of tasks) lane.post(task, clock.nowMs())
  }
  /** Runs all that was sent and takes the answers in. */
  const finishAll = () => {
    for (const kind of ['cpu', 'io'] as const) thread.runAll(kind)
    lane.readAnswers()
  }
  return { clock, owner, lane, thread, post, finishAll }
}

export const tasksOf = (count: number, fields: (at: number) => Partial<PlainTask> = (at) => ({ payload: at })) =>
  Array.from({ length: count }, (_, at) => new PlainTask(fields(at)))
