import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/base/clock.js'
import { Lane, type LaneOwner } from '../../src/engine/lane.js'
import { piscinaSupervisor } from '../../src/engine/piscina-supervisor.js'
import type { ExitCause, Thread, ThreadOptions } from '../../src/engine/supervisor.js'
import { OK } from '../../src/protocol/batch.js'
import { SETTINGS_KEY, type WorkerControl } from '../../src/protocol/control.js'
import { decodeError } from '../../src/protocol/error-transfer.js'
import { PlainTask } from './lane-tasks.js'

/** A thread of the built worker with a task module of the given text, and what it said, in order. */
export class RealThread implements LaneOwner<PlainTask> {
  readonly thread: Thread
  readonly hellos: SharedArrayBuffer[] = []
  readonly exits: ExitCause[] = []
  /** What its code posted to `parentPort`. */
  readonly posted: unknown[] = []
  readonly controls: WorkerControl[] = []
  /** Values of answers, rejections as errors, in the order in which they came. */
  readonly answers: unknown[] = []
  lane!: Lane<PlainTask>
  #changed: () => void = () => {}

  constructor(text: string, options: ThreadOptions & { workerData?: unknown; fileName?: string } = {}) {
    const { workerData, fileName = 'tasks.mjs', ...threadOptions } = options
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-thread-'))
    const file = join(folder, fileName)
    writeFileSync(file, text)
    const settings = {
      slot: 2,
      moduleUrl: pathToFileURL(file).href,
      ioWindow: 8,
      depth: 0,
      capturesOutput: false,
      reportsHeap: false,
    }
    this.thread = piscinaSupervisor.spawn({ [SETTINGS_KEY]: settings, user: workerData }, threadOptions, {
      hello: (port, board) => {
        this.hellos.push(board)
        this.lane = new Lane<PlainTask>(port, board, this, 2, systemClock)
        this.#changed()
      },
      message: (message) => this.posted.push(message),
      exit: (cause) => {
        this.exits.push(cause)
        this.lane?.close()
        this.#changed()
      },
    })
    onTestFinished(async () => {
      this.thread.terminate()
      await this.exited()
      rmSync(folder, { recursive: true, force: true })
    })
  }

  answered(_lane: Lane<PlainTask>, _task: PlainTask, status: number, value: unknown): void {
    this.answers.push(status === OK ? value : decodeError(value as never))
    this.#changed()
  }

  late(): void {}

  batchTaken(): void {}

  unread(): void {}

  unheard(_task: PlainTask, error: unknown): void {
    this.answers.push(error)
    this.#changed()
  }

  unsendable(_task: PlainTask, error: unknown): void {
    this.answers.push(error)
  }

  control(lane: Lane<PlainTask>, message: WorkerControl): void {
    this.controls.push(message)
    if (message.type === 'loaded') lane.names = message.names
    this.#changed()
  }

  /** Posts tasks in one message; they are listed in `lane`. */
  post(...tasks: PlainTask[]): PlainTask[] {
    for (const task of tasks) this.lane.post(task, systemClock.nowMs())
    this.lane.flush()
    return tasks
  }

  run(name: string, payload?: unknown): PlainTask {
    return this.post(new PlainTask({ name, payload }))[0]!
  }

  async until(condition: () => boolean): Promise<void> {
    // The thread holds nothing that keeps this process alive; a dispatcher's timer would.
    const hold = systemClock.every(1_000, () => {})
    while (!condition()) await new Promise<void>((resolve) => (this.#changed = resolve))
    hold.stop()
  }

  async loaded(): Promise<this> {
    await this.until(() => this.controls.length > 0 || this.exits.length > 0)
    return this
  }

  settled(count: number): Promise<void> {
    return this.until(() => this.answers.length >= count)
  }

  async exited(): Promise<ExitCause> {
    await this.until(() => this.exits.length > 0)
    return this.exits[0]!
  }
}
