/**
 * Compiled, never run: which calls the type of a task module allows. Each line that must be refused is marked, so that
 * the compiler reports it when it is not.
 */

import type {
  CallArguments,
  Dispatcher,
  RunName,
  RunOptions,
  StreamName,
  TaskModuleType,
  TaskName,
  TaskPayload,
  TaskResult,
} from '../../src/index.js'
import type { TaskContext, Transferred } from '../../src/task.js'
import type * as tasks from './task-module.js'

type Tasks = typeof tasks
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function holds<_Fact extends true>(): void {}

type Runnable =
  | 'sha'
  | 'greet'
  | 'ping'
  | 'either'
  | 'anything'
  | 'unknownThing'
  | 'nothing'
  | 'withContext'
  | 'withPart'
  | 'format'
  | 'identity'
  | 'firstOf'
  | 'exit'
  | 'list'
  | 'bytes'
  | 'untyped'
  | 'default'
type Yielding = 'count' | 'lines' | 'rows' | 'linesLater' | 'list' | 'bytes' | 'untyped' | 'anything'

holds<Same<RunName<Tasks>, Runnable>>()
holds<Same<TaskName<Tasks>, Runnable | Yielding>>()
holds<Same<Exclude<StreamName<Tasks>, Yielding>, never>>()
holds<Same<TaskPayload<Tasks, 'sha'>, string>>()
holds<Same<TaskPayload<Tasks, 'format'>, string | number>>()
holds<Same<TaskResult<Tasks, 'format'>, string | Date>>()
holds<Same<TaskPayload<Tasks, 'identity'>, unknown>>()
holds<Same<TaskPayload<Tasks, 'firstOf'>, readonly string[]>>()
holds<Same<TaskResult<Tasks, 'bytes'>, Uint8Array>>()
holds<Same<TaskResult<Tasks, 'exit'>, never>>()

export async function rightCalls(pool: Dispatcher<Tasks>): Promise<void> {
  void pool.run('sha', 'text', { priority: 1 })
  void pool.run('greet')
  void pool.run('greet', undefined, { priority: 1 })
  void pool.run('greet', 'you')
  void pool.run('ping')
  void pool.run('either')
  void pool.run('either', 5)
  void pool.run('anything')
  void pool.run('anything', null, {})
  void pool.run('unknownThing')
  void pool.run('nothing')
  void pool.run('withContext', 1)
  void pool.run('withPart', 1)
  void pool.run('format', 5)
  void pool.run('format', 'text')
  void pool.run('identity', { a: 1 })
  void pool.run('firstOf', ['a'])
  void pool.run('exit')
  void pool.run('list', 3)
  void pool.run('default', 1)
  for await (const n of pool.stream('count', 3)) holds<Same<typeof n, number>>()
  for await (const line of pool.stream('linesLater')) holds<Same<typeof line, string>>()
  for await (const item of pool.stream('list', 3)) holds<Same<typeof item, number>>()
  for await (const { value } of pool.map('sha', ['a'])) holds<Same<typeof value, string>>()
  for await (const { value } of pool.map('ping', [undefined])) holds<Same<typeof value, void>>()
  await pool.runOnAll('ping')
  await pool.runOnAll('sha', 'text')
  await pool.broadcast('ping', undefined, { replay: 'last' })
}

export function wrongCalls(pool: Dispatcher<Tasks>): void {
  // @ts-expect-error: the payload is missing
  void pool.run('sha')
  // @ts-expect-error: the payload is missing, although options are there
  void pool.run('sha', undefined, { priority: 1 })
  // @ts-expect-error: options are no payload
  void pool.run('sha', { priority: 1 })
  // @ts-expect-error: too many arguments
  void pool.run('sha', 'text', {}, 1)
  // @ts-expect-error: a payload of another type
  void pool.run('greet', 5)
  // @ts-expect-error: none of the overloads
  void pool.run('format', true)
  // @ts-expect-error: beyond what the type parameter allows
  void pool.run('firstOf', [1])
  // @ts-expect-error: a task gets one payload, not two
  void pool.run('add', 1)
  // @ts-expect-error: the second parameter would get the context
  void pool.run('encode', 'text')
  // @ts-expect-error: the rest would get the context
  void pool.run('sum', 1)
  // @ts-expect-error: a third parameter gets nothing
  void pool.run('three', 1)
  // @ts-expect-error: a class is no task
  void pool.run('Table', 1)
  // @ts-expect-error: what is no function is no task
  void pool.run('version')
  // @ts-expect-error: a generator is called by stream
  void pool.run('count', 3)
  // @ts-expect-error: an async generator is called by stream
  void pool.run('lines')
  // @ts-expect-error: an iterator cannot be sent either
  void pool.run('rows')
  // @ts-expect-error: nor one that is promised
  void pool.run('linesLater')
  // @ts-expect-error: what returns no items cannot be streamed
  void pool.stream('ping')
  // @ts-expect-error: a text is no list of items
  void pool.stream('sha', 'text')
  // @ts-expect-error: the payload of a stream is missing
  void pool.stream('count')
  // @ts-expect-error: a generator is not mapped
  void pool.map('count', [1])
  // @ts-expect-error: a task of two parameters is not mapped
  void pool.map('add', [1])
  // @ts-expect-error: items that the task does not take
  void pool.map('sha', [undefined])
  // @ts-expect-error: the payload for all is missing
  void pool.runOnAll('sha')
  // @ts-expect-error: a generator does not run on all
  void pool.runOnAll('count', 1)
  // @ts-expect-error: the payload of the broadcast is missing
  void pool.broadcast('sha')
  // @ts-expect-error: a generator is not broadcast
  void pool.broadcast('count', 1)
  // @ts-expect-error: nor what takes two parameters
  void pool.broadcast('add', 1)
}

/** The public methods of a module written as an interface are compared as strictly. */
interface Methods {
  sha(text: string): string
  add(a: number, b: number): number
  count(to: number): Generator<number>
  move(size: number, context: TaskContext): Transferred<ArrayBuffer>
}
holds<Same<RunName<Methods>, 'sha' | 'move'>>()

/** Without a type argument everything is allowed. */
export async function untypedCalls(pool: Dispatcher): Promise<void> {
  await pool.run('whatever')
  await pool.run('whatever', 1, { priority: 2 })
  for await (const item of pool.stream('items')) await pool.run(item)
  for await (const { value } of pool.map('whatever', [1, 'a'])) await pool.run(value)
  await pool.broadcast('whatever')
}

/** A wrapper passes on what it was given. */
export class Service<Module extends TaskModuleType> {
  readonly pool: Dispatcher<Module>

  constructor(pool: Dispatcher<Module>) {
    this.pool = pool
  }

  run<Name extends RunName<Module>>(
    name: Name,
    ...args: CallArguments<Module, Name, RunOptions>
  ): Promise<TaskResult<Module, Name>> {
    return this.pool.run(name, ...args)
  }
}
