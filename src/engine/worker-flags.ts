/**
 * Flags that hold for the whole process (`--title`, heap sizes …) cannot be given to a thread: Node refuses to start
 * it. People pass them on unknowingly, by `execArgv: process.execArgv` or a copy of the environment.
 */

import type { ThreadOptions } from './supervisor.js'

/**
 * The options without the flags that `refusal`, Node's error, names and that the process itself was started with;
 * undefined when that changes nothing, so that the fault is the caller's own.
 */
export function withoutProcessFlags(options: ThreadOptions, refusal: unknown): ThreadOptions | undefined {
  const { code, message } = refusal as NodeJS.ErrnoException
  if (code !== 'ERR_WORKER_INVALID_EXEC_ARGV') return undefined
  if (message.includes('NODE_OPTIONS')) {
    const { env } = options
    if (typeof env !== 'object' || env.NODE_OPTIONS !== process.env.NODE_OPTIONS) return undefined
    const { NODE_OPTIONS: _, ...rest } = env
    return { ...options, env: rest }
  }
  const refused = new Set(
    message
      .slice(message.indexOf(':') + 1)
      .split(',')
      .map((flag) => flag.trim()),
  )
  const execArgv = options.execArgv?.filter((flag) => !(refused.has(flag) && process.execArgv.includes(flag)))
  return execArgv === undefined || execArgv.length === options.execArgv?.length ? undefined : { ...options, execArgv }
}
