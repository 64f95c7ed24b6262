/** Loads the user's module for a batch run: one task, and `setup` and `teardown` if it has them. */

import { createRequire } from 'node:module'
import { types } from 'node:util'
import { EvenkeelError } from '../../src/base/errors.js'
import { adviceOnName } from '../../src/base/nearest-name.js'
import { loadTasks, type TaskModule } from '../task-registry.js'

export type UserTask = (payload: unknown, context: unknown) => unknown

export interface UserModule extends Pick<TaskModule, 'setup' | 'teardown'> {
  readonly task: UserTask
  readonly isIo: boolean
}

function pickTask({ names }: TaskModule, wanted: string | undefined, module: string): string {
  if (wanted !== undefined) {
    if (names.includes(wanted)) return wanted
    const advice = adviceOnName(wanted, names, 'its tasks are')
    throw new EvenkeelError('EVENKEEL_UNKNOWN_TASK', `${module} has no task '${wanted}'; ${advice}`, { task: wanted })
  }
  if (names.includes('default')) return 'default'
  if (names.length === 1) return names[0]!
  throw new TypeError(
    `name the task as MODULE#task: ${module} has no default export; its tasks are ${names.join(', ')}`,
  )
}

/** Imports the module. Throws what the import throws, `EVENKEEL_UNKNOWN_TASK`, or a TypeError for an unusable task. */
export async function loadUserModule(module: string, wanted: string | undefined): Promise<UserModule> {
  const url = /^(file|data|node):/.test(module) ? module : resolveBare(module)
  const found = await loadTasks(url)
  const name = pickTask(found, wanted, module)
  const { run, kind } = found.tasks.find((task) => task.name === name)!
  // Its result would be a generator, which JSON writes as an empty object.
  if (types.isGeneratorFunction(run)) {
    throw new TypeError(
      `task '${name}' of ${module} is a generator: a record has one result, so return it, or an array`,
    )
  }
  return { task: run as UserTask, isIo: kind === 'io', setup: found.setup, teardown: found.teardown }
}

/** A package name is resolved from the working directory, not from where evenkeel is installed. */
function resolveBare(specifier: string): string {
  return createRequire(`${process.cwd()}/`).resolve(specifier)
}
