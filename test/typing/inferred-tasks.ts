/**
 * Compiled, never run: what the type of a task module says about names, payloads and results. Each line that must be
 * refused is marked, so that the compiler reports it when it is not.
 */

import { Dispatcher, type TaskName, type TaskPayload, type TaskResult } from '../../src/index.js'
import { type TaskContext, type Transferred, transfer } from '../../src/task.js'

interface Image {
  readonly width: number
}

/** As `typeof import('./tasks.js')` would be. */
interface Tasks {
  readonly resize: (image: { readonly path: string }, context: TaskContext) => Promise<Image>
  readonly sum: (numbers: readonly number[]) => number
  readonly now: () => Date
  readonly pixels: (size: number) => Transferred<Uint8Array>
  readonly load: (size: number) => Promise<Transferred<ArrayBuffer>>
  readonly lines: (path: string) => AsyncGenerator<string, void>
  readonly chunks: (size: number) => Promise<Iterable<Transferred<Uint8Array>>>
  readonly setup: () => Promise<void>
  readonly teardown: () => void
  readonly kinds: { readonly resize: 'io' }
  readonly version: string
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function holds<_Fact extends true>(): void {}

holds<Same<TaskName<Tasks>, 'resize' | 'sum' | 'now' | 'pixels' | 'load' | 'lines' | 'chunks'>>()
holds<Same<TaskPayload<Tasks, 'resize'>, { readonly path: string }>>()
holds<Same<TaskResult<Tasks, 'resize'>, Image>>()
holds<Same<TaskResult<Tasks, 'sum'>, number>>()
holds<Same<TaskResult<Tasks, 'now'>, Date>>()
holds<Same<TaskResult<Tasks, 'pixels'>, Uint8Array>>()
holds<Same<TaskResult<Tasks, 'load'>, ArrayBuffer>>()

export async function rightUses(pool: Dispatcher<Tasks>): Promise<void> {
  const image = await pool.run('resize', { path: 'a.png' }, { priority: 1, signal: new AbortController().signal })
  holds<Same<typeof image, Image>>()
  const date = await pool.run('now')
  holds<Same<typeof date, Date>>()
  const pixels = await pool.run('pixels', 4)
  holds<Same<typeof pixels, Uint8Array>>()
  for await (const { index, value } of pool.map('sum', [[1], [2, 3]], { ordered: true })) {
    holds<Same<typeof index, number>>()
    holds<Same<typeof value, number>>()
  }
  async function* paths() {
    yield { path: 'a' }
  }
  for await (const { value } of pool.map('resize', paths())) holds<Same<typeof value, Image>>()
  for await (const line of pool.stream('lines', 'a.txt', { priority: 1 })) holds<Same<typeof line, string>>()
  for await (const chunk of pool.stream('chunks', 5)) holds<Same<typeof chunk, Uint8Array>>()
  const all = await pool.runOnAll('sum', [1], { runTimeoutMs: 5, tag: 'a' })
  holds<Same<typeof all, number[]>>()
  const nothing = await pool.broadcast('resize', { path: 'a' }, { replay: 'last' })
  holds<Same<typeof nothing, void>>()
  const shared = await pool.run('sum', [1], { share: 'a', tag: 'b', delayMs: 5, onProgress: (value) => void value })
  holds<Same<typeof shared, number>>()
  const counts = [pool.setPriority('b', 2), pool.cancel('b', 'reason')]
  holds<Same<typeof counts, number[]>>()
  pool.on('stall', ({ slot, runningMs }) => holds<Same<[typeof slot, typeof runningMs], [number, number]>>())
  await using scoped = pool
  holds<Same<typeof scoped, Dispatcher<Tasks>>>()
}

export function wrongUses(pool: Dispatcher<Tasks>): void {
  // @ts-expect-error: no task has this name
  void pool.run('resise', { path: 'a.png' })
  // @ts-expect-error: setup is a hook, not a task
  void pool.run('setup')
  // @ts-expect-error: teardown is a hook, not a task
  void pool.run('teardown')
  // @ts-expect-error: kinds is a declaration
  void pool.run('kinds')
  // @ts-expect-error: what is no function is no task
  void pool.run('version')
  // @ts-expect-error: the payload has another type
  void pool.run('resize', 'a.png')
  // @ts-expect-error: a property of the payload has another type
  void pool.run('resize', { path: 1 })
  // @ts-expect-error: an unknown option
  void pool.run('sum', [1], { timeoutMs: 5 })
  // @ts-expect-error: an option of another type
  void pool.run('sum', [1], { priority: 'high' })
  // @ts-expect-error: the items have another type
  void pool.map('sum', [1, 2])
  // @ts-expect-error: map takes no key
  void pool.map('sum', [[1]], { key: 'a' })
  // @ts-expect-error: what was yielded cannot be taken back
  void pool.stream('lines', 'a', { retries: { times: 1 } })
  // @ts-expect-error: the payload of a stream has the task's type
  void pool.stream('lines', 5)
  // @ts-expect-error: a call on all workers picks none by key
  void pool.runOnAll('sum', [1], { key: 'a' })
  // @ts-expect-error: the slot is the dispatcher's own affair
  void pool.run('sum', [1], { slot: 1 })
  // @ts-expect-error: the payload of a broadcast has the task's type
  void pool.broadcast('resize', 'a.png')
  // @ts-expect-error: no such replay
  void pool.broadcast('sum', [1], { replay: 'first' })
  // @ts-expect-error: a priority is a number
  pool.setPriority('a', 'high')
  // @ts-expect-error: no event has this name
  pool.on('stalled', () => {})
  // @ts-expect-error: the module is missing
  new Dispatcher({ workers: 2 })
  // @ts-expect-error: no strategy has this name
  new Dispatcher({ module: 'tasks', strategy: 'fastest' })
  // @ts-expect-error: a range has both ends
  new Dispatcher({ module: 'tasks', workers: { min: 1 } })
}

/** Without a type argument any name and payload is accepted, and the result is anything. */
export async function untypedUses(pool: Dispatcher): Promise<string> {
  await pool.run('whatever', { any: 'thing' })
  for await (const item of pool.stream('any')) await pool.run(item)
  return pool.run('name')
}

/** A task's own function can return what it moves; `transfer` keeps the type of the value. */
export function moving(bytes: Uint8Array<ArrayBuffer>): Transferred<Uint8Array> {
  const moved = transfer(bytes, [bytes.buffer])
  holds<Same<typeof moved, Transferred<Uint8Array<ArrayBuffer>>>>()
  return moved
}
