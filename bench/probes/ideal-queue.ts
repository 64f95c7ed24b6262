/** What an ideal dispatcher would have made of the same tasks and stalls: computed, not lived. */

/** A worker stands still for `ms` at `atMs`, at the latest when its running task is done. */
export interface Stall {
  readonly atMs: number
  readonly ms: number
}

export interface IdealTask {
  readonly atMs: number
  readonly runMs: number
}

/** When a worker is free from `freeMs` on, and which of its stalls is next. */
interface Server {
  freeMs: number
  next: number
  readonly stalls: readonly Stall[]
}

/** Takes the stalls that are due before a task could start there, and returns when it could. */
function earliestStart(server: Server, atMs: number): number {
  for (;;) {
    const startMs = Math.max(atMs, server.freeMs)
    const stall = server.stalls[server.next]
    if (stall === undefined || stall.atMs > startMs) return startMs
    server.freeMs = Math.max(stall.atMs, server.freeMs) + stall.ms
    server.next++
  }
}

/**
 * Latencies under one queue in order of arrival, from which each worker takes the next task as soon as it can, without
 * any delay. `stallsByWorker` has one list in order of time for each worker.
 */
export function idealLatenciesMs(tasks: readonly IdealTask[], stallsByWorker: readonly (readonly Stall[])[]): number[] {
  const servers: Server[] = stallsByWorker.map((stalls) => ({ freeMs: 0, next: 0, stalls }))
  return tasks.map(({ atMs, runMs }) => {
    let first = servers[0] as Server
    let firstMs = Number.POSITIVE_INFINITY
    for (const server of servers) {
      const startMs = earliestStart(server, atMs)
      if (startMs < firstMs) {
        first = server
        firstMs = startMs
      }
    }
    first.freeMs = firstMs + runMs
    return first.freeMs - atMs
  })
}

/** Stalls that come to each worker in turn, one every `everyMs` of the clock whose time is `startMs` at 0. */
export function rollingStalls(
  { everyMs, ms, workers }: { readonly everyMs: number; readonly ms: number; readonly workers: number },
  startMs: number,
  lengthMs: number,
): Stall[][] {
  const roundMs = everyMs * workers
  return Array.from({ length: workers }, (_, turn) => {
    const stalls: Stall[] = []
    const firstMs = (everyMs * turn - (startMs % roundMs) + roundMs) % roundMs
    for (let atMs = firstMs; atMs < lengthMs; atMs += roundMs) stalls.push({ atMs, ms })
    return stalls
  })
}
