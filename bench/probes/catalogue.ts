/** Every probe by name. Each is imported only in the process that runs it. */

import type { Probe } from '../harness/sample.js'

const probes: Readonly<Record<string, () => Promise<Probe>>> = {
  'closed-loop': async () => (await import('./closed-loop.js')).probeClosedLoop,
  turns: async () => (await import('./turns.js')).probeTurns,
  roundtrip: async () => (await import('./roundtrip.js')).probeRoundtrip,
  cold: async () => (await import('./cold.js')).probeCold,
  idle: async () => (await import('./idle.js')).probeIdle,
  payload: async () => (await import('./payload.js')).probePayload,
  'slow-payload': async () => (await import('./slow-payload.js')).probeSlowPayload,
  'blocked-worker': async () => (await import('./blocked-worker.js')).probeBlockedWorker,
  burst: async () => (await import('./burst.js')).probeBurst,
  mixture: async () => (await import('./mixture.js')).probeMixture,
  batch: async () => (await import('./batch.js')).probeBatch,
  live: async () => (await import('./live.js')).probeLive,
  'own-workload': async () => (await import('./own-workload.js')).probeOwnWorkload,
  server: async () => (await import('./server.js')).probeServer,
  flood: async () => (await import('./flood.js')).probeFlood,
}

export const probeNames = Object.keys(probes)

export function loadProbe(name: string): Promise<Probe> {
  const load = probes[name]
  if (load === undefined) throw new RangeError(`no probe '${name}'; there are ${probeNames.join(', ')}`)
  return load()
}
