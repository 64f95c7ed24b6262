/** Names, payloads and results of tasks, inferred from the type of the task module. */

import type { TaskContext } from '../protocol/task-contract.js'
import type { Transferred } from '../protocol/transfer.js'

/** What a module may be typed as. Without a type argument, any name and payload is accepted. */
export type TaskModuleType = object

/** The module type of a `Dispatcher` without a type argument. */
// biome-ignore lint/suspicious/noExplicitAny: nothing is known of it.
export type UntypedModule = Record<string, (payload?: any, context?: any) => any>

/** A function of a payload and, at most, the context. A function with a second parameter of another type is no task. */
// biome-ignore lint/suspicious/noExplicitAny: the parameter types of a task are the module's own.
type AnyTask = (payload: any, context: TaskContext) => unknown

type Hooks = 'setup' | 'teardown' | 'kinds'

/** The names of the tasks of a module, those that yield items included. */
export type TaskName<Module extends TaskModuleType> = {
  [Name in keyof Module & string]: Name extends Hooks ? never : Module[Name] extends AnyTask ? Name : never
}[keyof Module & string]

/** The names of the tasks that `run`, `map`, `runOnAll` and `broadcast` take: not those that only `stream` can call. */
export type RunName<Module extends TaskModuleType> = {
  [Name in TaskName<Module>]: IsIterator<AwaitedResult<Module, Name>> extends true ? never : Name
}[TaskName<Module>]

/** The names of the tasks that `stream` takes: those that return something to iterate over. */
export type StreamName<Module extends TaskModuleType> = {
  [Name in TaskName<Module>]: [TaskItem<Module, Name>] extends [never] ? never : Name
}[TaskName<Module>]

/** The payload that a task takes; of an overloaded function the payload of any of its first four overloads. */
export type TaskPayload<Module extends TaskModuleType, Name extends keyof Module> = Signature<Module[Name]>['payload']

/** What `run` resolves to. */
export type TaskResult<Module extends TaskModuleType, Name extends keyof Module> = Moved<AwaitedResult<Module, Name>>

/** What `stream` yields: the items of what the task returns. */
export type TaskItem<Module extends TaskModuleType, Name extends keyof Module> = Items<AwaitedResult<Module, Name>>

/** What follows the name in a call: the payload may be left out where the task takes `undefined`. */
export type CallArguments<Module extends TaskModuleType, Name extends keyof Module, Options> =
  undefined extends TaskPayload<Module, Name>
    ? [payload?: TaskPayload<Module, Name>, options?: Options]
    : [payload: TaskPayload<Module, Name>, options?: Options]

type AwaitedResult<Module extends TaskModuleType, Name extends keyof Module> = Awaited<
  Signature<Module[Name]>['result']
>

/** Whether the result is an iterator, which cannot be sent. False for `any` and `never`. */
type IsIterator<Result> = 0 extends 1 & Result
  ? false
  : [Result] extends [never]
    ? false
    : [Result] extends [{ next(...args: never[]): unknown }]
      ? true
      : false

type Moved<Result> = Result extends Transferred<infer Value> ? Value : Result

type Items<Result> = 0 extends 1 & Result
  ? // biome-ignore lint/suspicious/noExplicitAny: nothing is known of it.
    any
  : Result extends string
    ? never
    : Result extends AsyncIterable<infer Item> | Iterable<infer Item>
      ? Moved<Awaited<Item>>
      : never

/** Payload and result over all overloads: a function with fewer than are asked for does not match. */
type Signature<Task> = Task extends {
  (payload: infer P1, ...rest: never[]): infer R1
  (payload: infer P2, ...rest: never[]): infer R2
  (payload: infer P3, ...rest: never[]): infer R3
  (payload: infer P4, ...rest: never[]): infer R4
}
  ? { payload: P1 | P2 | P3 | P4; result: R1 | R2 | R3 | R4 }
  : Task extends {
        (payload: infer P1, ...rest: never[]): infer R1
        (payload: infer P2, ...rest: never[]): infer R2
        (payload: infer P3, ...rest: never[]): infer R3
      }
    ? { payload: P1 | P2 | P3; result: R1 | R2 | R3 }
    : Task extends {
          (payload: infer P1, ...rest: never[]): infer R1
          (payload: infer P2, ...rest: never[]): infer R2
        }
      ? { payload: P1 | P2; result: R1 | R2 }
      : Task extends (payload: infer Payload, ...rest: never[]) => infer Result
        ? { payload: Payload; result: Result }
        : { payload: undefined; result: never }
