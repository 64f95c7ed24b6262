/**
 * The dispatcher under test. Settings are its own options; `module`, a file URL, is for the user's own tasks, and
 * `metrics: true` watches it as an app does that Prometheus scrapes.
 */

import { Dispatcher } from '../../src/index.js'
import { metrics } from '../../src/metrics/index.js'
import type * as Tasks from '../tasks.js'
import type { Contender, Settings } from './contender.js'

const benchTasks = new URL('../tasks.js', import.meta.url)

/** Prometheus's own default is a minute; most set 15 s. This is the fastest that anybody is likely to scrape, ms. */
const SCRAPE_PERIOD_MS = 1_000

/** Returns what ends it. */
function scraped(pool: Dispatcher<typeof Tasks>): () => void {
  const watched = metrics(pool)
  const scrapes = setInterval(() => watched.text(), SCRAPE_PERIOD_MS)
  return () => {
    clearInterval(scrapes)
    watched.close()
  }
}

export function createEvenkeel(workers: number, settings: Settings): Contender {
  const { module, metrics: isWatched, ...options } = settings
  const pool = new Dispatcher<typeof Tasks>({
    ...options,
    module: typeof module === 'string' ? new URL(module) : benchTasks,
    workers,
  })
  const endWatch = isWatched === true ? scraped(pool) : () => {}
  return {
    run: (task, payload, transfer) =>
      transfer === undefined
        ? pool.run(task, payload as never)
        : pool.run(task, payload as never, { transfer: [...transfer] }),
    close: () => {
      endWatch()
      return pool.close({ force: true })
    },
  }
}
