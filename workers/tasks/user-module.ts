/** The user's module as a batch run sees it: one task, perhaps `setup`, `teardown` and `kinds`. */

import { createRequire } from 'node:module'

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

function pickTask(exported: Record<string, unknown>, wanted: string | undefined, module: string): string {
  const names = Object.keys(exported).filter((name) => typeof exported[name] === 'function' && !RESERVED.has(name))
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
  const name = pickTask(exported, wanted, module)
  const { kinds } = exported
  const isIo =
    typeof kinds === 'object' && kinds !== null && Object.hasOwn(kinds, name) && Reflect.get(kinds, name) === 'io'
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
