/** The dispatcher under test. Settings are its own options; `module`, a file URL, is for the user's own tasks. */

import { Dispatcher } from '../../src/index.js'
import type * as Tasks from '../tasks.js'
import type { Contender, Settings } from './contender.js'

const benchTasks = new URL('../tasks.js', import.meta.url)

export function createEvenkeel(workers: number, settings: Settings): Contender {
  const { module, ...options } = settings
  const pool = new Dispatcher<typeof Tasks>({
    ...options,
    module: typeof module === 'string' ? new URL(module) : benchTasks,
    workers,
  })
  return {
    run: (task, payload, transfer) =>
      transfer === undefined
        ? pool.run(task, payload as never)
        : pool.run(task, payload as never, { transfer: [...transfer] }),
    close: () => pool.close({ force: true }),
  }
}
