/** Names, payloads and results of tasks, inferred from the type of the task module. */

import type { Transferred } from '../protocol/transfer.js'

// biome-ignore lint/suspicious/noExplicitAny: the parameter types of a task are the module's own.
type AnyTask = (payload: any, context: any) => unknown

/** What a module may be typed as; without a type argument any name and payload is accepted. */
export type TaskModuleType = object

type Hooks = 'setup' | 'teardown' | 'kinds'

/** The names of the tasks of a module. */
export type TaskName<Module extends TaskModuleType> = {
  [Name in keyof Module & string]: Name extends Hooks ? never : Module[Name] extends AnyTask ? Name : never
}[keyof Module & string]

/** The payload that a task takes. */
export type TaskPayload<Module extends TaskModuleType, Name extends keyof Module> = Module[Name] extends (
  payload: infer Payload,
  ...rest: never[]
) => unknown
  ? Payload
  : undefined

/** What `run` resolves to. */
export type TaskResult<Module extends TaskModuleType, Name extends keyof Module> = Module[Name] extends (
  ...args: never[]
) => infer Result
  ? Awaited<Result> extends Transferred<infer Value>
    ? Value
    : Awaited<Result>
  : never

/** What `stream` yields: the items of what the task returns. */
export type TaskItem<Module extends TaskModuleType, Name extends keyof Module> = Module[Name] extends (
  ...args: never[]
) => infer Result
  ? Awaited<Result> extends AsyncIterable<infer Item> | Iterable<infer Item>
    ? Awaited<Item> extends Transferred<infer Value>
      ? Value
      : Awaited<Item>
    : UntypedModule extends Module
      ? // biome-ignore lint/suspicious/noExplicitAny: nothing is known of it.
        any
      : never
  : never

/** The type of a module of which nothing is known. */
// biome-ignore lint/suspicious/noExplicitAny: nothing is known of it.
export type UntypedModule = Record<string, (payload?: any, context?: any) => any>
