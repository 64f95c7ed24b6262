/** What the calls that concern every worker take. */

import { checkKeys, checkObject, checkOneOf } from '../base/checks.js'
import { checkRunOptions, type RunOptions } from './run-options.js'
import type { Replay } from './whole-pool.js'

/** What `Dispatcher.runOnAll` takes; as for `run`, for each worker's task. */
export type RunOnAllOptions = Pick<RunOptions, 'signal' | 'runTimeoutMs' | 'deadlineMs' | 'tag' | 'onProgress'>

/** What `Dispatcher.broadcast` takes. */
export interface BroadcastOptions {
  /** What threads that start later run: every broadcast, default; only the `last` of its name; nothing. */
  readonly replay?: 'all' | 'last' | 'none'
}

const RUN_ON_ALL_KEYS: readonly (keyof RunOnAllOptions)[] = [
  'signal',
  'runTimeoutMs',
  'deadlineMs',
  'tag',
  'onProgress',
]

export function checkRunOnAll(value: unknown): RunOnAllOptions {
  checkKeys('', checkObject('options', value), RUN_ON_ALL_KEYS)
  return checkRunOptions(value)
}

export function checkBroadcast(value: unknown): Replay {
  const options = checkObject('options', value)
  checkKeys('', options, ['replay'])
  return options.replay === undefined ? 'all' : checkOneOf('replay', options.replay, ['all', 'last', 'none'])
}
