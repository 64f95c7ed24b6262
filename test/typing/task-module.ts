/** Compiled, never run: exports of a module, tasks and others. */

import { type TaskContext, transfer } from '../../src/task.js'

export const sha = (text: string) => text
export const greet = (name = 'world') => name
export const ping = () => {}
export const either = (value: number | undefined) => value
// biome-ignore lint/suspicious/noExplicitAny: as a module that is not typed has it.
export const anything = (value: any): any => value
export const unknownThing = (value: unknown) => typeof value
// biome-ignore lint/suspicious/noConfusingVoidType: as generated types have it.
export const nothing = (_: void) => {}
export const withContext = (n: number, context: TaskContext) => n + context.slot
export const withPart = (n: number, { signal }: { signal: AbortSignal }) => (signal.aborted ? 0 : n)
// biome-ignore lint/suspicious/noExplicitAny: as a module that is not typed has it.
export const untyped = (value: any, context: any): any => [value, context]
export function format(value: string): string
export function format(value: number): Date
export function format(value: string | number): string | Date {
  return typeof value === 'string' ? value : new Date(value)
}
export const identity = <T>(value: T): T => value
export const firstOf = <T extends readonly string[]>(values: T) => values[0]
export const exit = (): never => process.exit(1)
export const list = (length: number) => Array.from({ length }, (_, n) => n)
export const bytes = (size: number) => {
  const made: Uint8Array = new Uint8Array(size)
  return transfer(made, [])
}
export default (n: number) => n

// Called by `stream`.
export function* count(to: number) {
  for (let n = 0; n < to; n++) yield n
}
export async function* lines() {
  yield 'a'
}
export const rows = (): IterableIterator<string> => [''].values()
export const linesLater = async () => lines()

// No tasks.
export const add = (a: number, b: number) => a + b
export const encode = (text: string, encoding = 'hex') => text + encoding
export const sum = (...numbers: number[]) => numbers.length
export const three = (a: number, context: TaskContext, c: number) => a + context.slot + c
export class Table {}
export const version = '1'
export const kinds = { ping: 'io' } as const
export const setup = async () => {}
export const teardown = () => {}
