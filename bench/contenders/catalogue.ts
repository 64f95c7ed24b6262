/** Every contender by name. Each is imported only when it is measured, so a package that is missing is no error. */

import type { ContenderEntry } from './contender.js'

export const contenders = {
  evenkeel: { load: async () => (await import('./evenkeel.js')).createEvenkeel },
  piscina: { packageName: 'piscina', load: async () => (await import('./piscina.js')).createPiscina },
  poolifier: { packageName: 'poolifier', load: async () => (await import('./poolifier.js')).createPoolifier },
  tinypool: { packageName: 'tinypool', load: async () => (await import('./tinypool.js')).createTinypool },
  workerpool: { packageName: 'workerpool', load: async () => (await import('./workerpool.js')).createWorkerpool },
  raw: { load: async () => (await import('./raw-threads.js')).createRawThreads },
  floor: { load: async () => (await import('./floor.js')).createFloor },
} as const satisfies Record<string, ContenderEntry>

export type ContenderName = keyof typeof contenders

export const contenderNames = Object.keys(contenders) as ContenderName[]

export function contenderEntry(name: ContenderName): ContenderEntry {
  return contenders[name]
}
