/** What the calls that concern every worker take. */

import { checkOneOf, ownOptions } from '../base/checks.js'
import { type CallOptions, checkRunOptions, type RunOptions } from './options/run-options.js'
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

export function checkRunOnAll(value: unknown, defaults: Readonly<CallOptions>): RunOnAllOptions {
  return checkRunOptions(value, RUN_ON_ALL_KEYS, defaults)
}

export function checkBroadcast(value: unknown): Replay {
  const { replay } = ownOptions('', value, ['replay'])
  return replay === undefined ? 'all' : checkOneOf('replay', replay, ['all', 'last', 'none'])
}
