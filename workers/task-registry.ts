/**
 * The tasks of a module: all functions it exports, `default` included, except `setup` and `teardown`. For CommonJS: the
 * functions of `module.exports`, and those of an object exported as `default`.
 */

import type { TaskKind } from '../src/protocol/batch.js'
import { MAX_TASK_NAMES } from '../src/protocol/batch.js'
import { kindsOf } from '../src/protocol/task-kinds.js'
import { RunTimes } from './run-times.js'
import { syntaxPlace } from './syntax-place.js'
import type { TaskContext } from './task-context.js'

export type TaskFunction = (payload: unknown, context: TaskContext) => unknown

/** One task of the module, with its recent run times. */
export interface RegisteredTask {
  readonly name: string
  readonly run: TaskFunction
  readonly kind: TaskKind
  readonly runTimes: RunTimes
}

export interface TaskModule {
  readonly names: readonly string[]
  readonly kinds: readonly TaskKind[]
  readonly tasks: readonly RegisteredTask[]
  readonly setup?: () => unknown
  readonly teardown?: () => unknown
}

/** Names that are never tasks. Newer Node versions list `module.exports` among the names of a CommonJS module. */
const NO_TASKS = new Set(['setup', 'teardown', 'kinds', 'module.exports'])

type Exports = Record<string, unknown>

function isExports(value: unknown): value is Exports {
  return (typeof value === 'object' || typeof value === 'function') && value !== null
}

/** Own properties of the namespace, then those of its default export. */
function exportsOf(namespace: Exports): Map<string, unknown> {
  const found = new Map<string, unknown>()
  const add = (source: Exports) => {
    for (const name of Object.keys(source)) {
      if (Object.hasOwn(source, name) && !found.has(name)) found.set(name, source[name])
    }
  }
  add(namespace)
  // A CommonJS module arrives as { default: module.exports }; a transpiled one nests a second default.
  let inner = namespace.default
  for (let depth = 0; depth < 2 && isExports(inner); depth++) {
    add(inner)
    if (typeof inner !== 'function' && typeof inner.default === 'function') found.set('default', inner.default)
    inner = inner.default
  }
  return found
}

/** Adds to the error what Node leaves out: the place of a syntax error, or what TypeScript needs. */
function explain(error: unknown, moduleUrl: string): void {
  if (error instanceof SyntaxError) {
    const place = syntaxPlace(error, moduleUrl)
    if (place !== undefined && !error.message.includes(place)) error.message += ` at ${place}`
  } else if (
    error instanceof Error &&
    (error as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_FILE_EXTENSION' &&
    /\.[cm]?tsx?\b/.test(error.message)
  ) {
    // Which one depends on the version of Node, so it takes more than a line.
    error.message +=
      '; workers need a loader for it by execArgv, see "TypeScript and vitest" in docs/embed.md of evenkeel'
  }
}

async function importModule(moduleUrl: string): Promise<Exports> {
  try {
    return await import(moduleUrl)
  } catch (error) {
    explain(error, moduleUrl)
    throw error
  }
}

/** Imports the module. Throws what the import throws, or a TypeError when the module has no task. */
export async function loadTasks(moduleUrl: string): Promise<TaskModule> {
  const found = exportsOf(await importModule(moduleUrl))
  const hook = (name: string) => {
    const value = found.get(name)
    return typeof value === 'function' ? (value as () => unknown) : undefined
  }
  const names = [...found]
    .filter(([name, value]) => typeof value === 'function' && !NO_TASKS.has(name))
    .map(([name]) => name)
  if (names.length === 0) throw new TypeError(`${moduleUrl} exports no function that could be a task`)
  if (names.length > MAX_TASK_NAMES) throw new RangeError(`${moduleUrl} exports more than ${MAX_TASK_NAMES} functions`)
  const kinds = kindsOf(found.get('kinds'), names)
  const tasks = names.map((name, index): RegisteredTask => {
    return { name, run: found.get(name) as TaskFunction, kind: kinds[index]!, runTimes: new RunTimes() }
  })
  return {
    names,
    kinds,
    tasks,
    setup: hook('setup'),
    teardown: hook('teardown'),
  }
}
