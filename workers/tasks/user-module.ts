/** The user's module as a batch run sees it: one task, perhaps `setup`, `teardown` and `kinds`. */

import { createRequire } from 'node:module'
import { types } from 'node:util'
import { kindsOf } from '../../src/protocol/task-kinds.js'

export type UserTask = (payload: unknown, context: unknown) => unknown

export interface UserModule {
  readonly task: UserTask
  readonly isIo: boolean
  readonly setup: ((...args: unknown[]) => unknown) | undefined
  readonly teardown: ((...args: unknown[]) => unknown) | undefined
}

const RESERVED = new Set(['setup', 'teardown'])

/** A CommonJS module's functions hang on its `default`; ES modules export them by name. */
function exportsOf(namespace: Record<string, unknown>): Record<string, unknown> {
  const fallback = namespace.default
  const names = new Map<string, unknown>()
  if (typeof fallback === 'object' && fallback !== null) {
    for (const [name, value] of Object.entries(fallback)) names.set(name, value)
  }
  for (const [name, value] of Object.entries(namespace)) names.set(name, value)
  return Object.fromEntries(names)
}

function tasksOf(exported: Record<string, unknown>): string[] {
  return Object.keys(exported).filter((name) => typeof exported[name] === 'function' && !RESERVED.has(name))
}

function pickTask(names: readonly string[], wanted: string | undefined, module: string): string {
  const known = names.length === 0 ? 'it exports no function' : `its tasks are ${names.join(', ')}`
  if (wanted !== undefined) {
    if (names.includes(wanted)) return wanted
    throw new TypeError(`${module} has no task '${wanted}'; ${known}`)
  }
  if (names.includes('default')) return 'default'
  if (names.length === 1) return names[0]!
  throw new TypeError(`name the task as MODULE#task: ${module} has no default export; ${known}`)
}

/** Imports the module; throws what it throws, and TypeError for a task that is not there. */
export async function loadUserModule(module: string, wanted: string | undefined): Promise<UserModule> {
  const url = /^(file|data|node):/.test(module) ? module : resolveBare(module)
  const exported = exportsOf((await import(url)) as Record<string, unknown>)
  const names = tasksOf(exported)
  const name = pickTask(names, wanted, module)
  // Its result would be a generator, of which JSON makes an empty object.
  if (types.isGeneratorFunction(exported[name])) {
    throw new TypeError(
      `task '${name}' of ${module} is a generator: a record has one result, so return it, or an array`,
    )
  }
  const isIo = kindsOf(exported.kinds, names)[names.indexOf(name)] === 'io'
  const optional = (value: unknown): UserModule['setup'] =>
    typeof value === 'function' ? (value as (...args: unknown[]) => unknown) : undefined
  return {
    task: exported[name] as UserTask,
    isIo,
    setup: optional(exported.setup),
    teardown: optional(exported.teardown),
  }
}

/** A bare specifier is looked up from where the command runs, not from where evenkeel is installed. */
function resolveBare(specifier: string): string {
  return createRequire(`${process.cwd()}/`).resolve(specifier)
}
