import type { Worker } from 'node:worker_threads'
import type { Piscina } from 'piscina'

type Balancer = NonNullable<NonNullable<ConstructorParameters<typeof Piscina>[0]>['loadBalancer']>
type Utilization = ReturnType<Worker['performance']['eventLoopUtilization']>

/** Shorter windows make utilisation noise; a worker is judged by its last 20 ms at least. */
const windowMs = 20

/** A window this busy is taken for a loop that hangs. */
const busyShare = 0.95

/**
 * Fewest tasks first, among workers below their bound, and before all others those whose loop was not fully busy in the
 * last window. It does not hold a task back because every loop was busy: piscina looks at a task that was answered with
 * null only after some other task has finished, so the last one would wait for ever.
 */
export function lagAwareBalancer(pool: () => Piscina, perWorker: number): Balancer {
  const last = new Map<number, { atMs: number; seen: Utilization; busy: boolean }>()
  const look = (): void => {
    const nowMs = performance.now()
    for (const thread of pool().threads) {
      const before = last.get(thread.threadId)
      if (before !== undefined && nowMs - before.atMs < windowMs) continue
      const seen = thread.performance.eventLoopUtilization()
      const share = before === undefined ? 0 : thread.performance.eventLoopUtilization(seen, before.seen).utilization
      last.set(thread.threadId, { atMs: nowMs, seen, busy: share > busyShare })
    }
  }
  return (_task, candidates) => {
    look()
    const isBusy = (id: number): boolean => last.get(id)?.busy === true
    let best: (typeof candidates)[number] | null = null
    for (const worker of candidates) {
      if (worker.currentUsage >= perWorker) continue
      const rank = (each: typeof worker): number => (isBusy(each.id) ? perWorker : 0) + each.currentUsage
      if (best === null || rank(worker) < rank(best)) best = worker
    }
    return best
  }
}
