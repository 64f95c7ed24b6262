import { fileURLToPath } from 'node:url'
import { Tinypool } from 'tinypool'
import type { Contender, Settings } from './contender.js'

const filename = fileURLToPath(new URL('../tasks.js', import.meta.url))

export function createTinypool(workers: number, settings: Settings): Contender {
  const pool = new Tinypool({ ...settings, filename, minThreads: workers, maxThreads: workers })
  return {
    run: (task, payload, transfer) =>
      pool.run(payload, transfer === undefined ? { name: task } : { name: task, transferList: [...transfer] }),
    close: () => pool.destroy(),
  }
}
