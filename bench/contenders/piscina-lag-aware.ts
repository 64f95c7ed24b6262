import type { Worker } from 'node:worker_threads'
import type { Piscina } from 'piscina'

type Balancer = NonNullable<NonNullable<ConstructorParameters<typeof Piscina>[0]>['loadBalancer']>
type Utilization = ReturnType<Worker['performance']['eventLoopUtilization']>

/** Shorter windows make utilisation noise; a worker is judged by its last 20 ms at least. */
const windowMs = 20

/** A window this busy is taken for a loop that hangs. */
const busyShare = 0.95

/**
 * Fewest tasks first, among workers below their bound whose loop was not fully busy in the last window. Returns null
 * when there is none, which piscina answers by keeping the task in its queue until some task finishes.
 */
export function lagAwareBalancer(pool: () => Piscina, perWorker: number): Balancer {
  const last = new Map<number, { atMs: number; seen: Utilization; busy: boolean }>()
  return (_task, candidates) => {
    const nowMs = performance.now()
    for (const thread of pool().threads) {
      const before = last.get(thread.threadId)
      if (before !== undefined && nowMs - before.atMs < windowMs) continue
      const seen = thread.performance.eventLoopUtilization()
      const share = before === undefined ? 0 : thread.performance.eventLoopUtilization(seen, before.seen).utilization
      last.set(thread.threadId, { atMs: nowMs, seen, busy: share > busyShare })
    }
    let best: (typeof candidates)[number] | null = null
    for (const worker of candidates) {
      if (worker.currentUsage >= perWorker || last.get(worker.id)?.busy === true) continue
      if (best === null || worker.currentUsage < best.currentUsage) best = worker
    }
    return best
  }
}
