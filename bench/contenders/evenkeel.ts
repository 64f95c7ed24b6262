/** The dispatcher under test. Settings are its own options; `module` and `workers` are set here. */

import { Dispatcher } from '../../src/index.js'
import type * as Tasks from '../tasks.js'
import type { Contender, Settings } from './contender.js'

const module = new URL('../tasks.js', import.meta.url)

export function createEvenkeel(workers: number, settings: Settings): Contender {
  const pool = new Dispatcher<typeof Tasks>({ ...settings, module, workers })
  return {
    run: (task, payload, transfer) =>
      transfer === undefined
        ? pool.run(task, payload as never)
        : pool.run(task, payload as never, { transfer: [...transfer] }),
    close: () => pool.close({ force: true }),
  }
}
