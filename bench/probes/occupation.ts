/** What the workers did over time, computed from the traces of the tasks. */

/** One task that ran, all times in ms of one clock. */
export interface TaskRun {
  readonly scheduledMs: number
  readonly startedMs: number
  readonly finishedMs: number
  readonly thread: number
}

interface Change {
  readonly atMs: number
  readonly waiting: number
  readonly running: number
}

/** Every start and end of a wait and of a run, in order of time. */
function changesOf(runs: readonly TaskRun[]): Change[] {
  return runs
    .flatMap(({ scheduledMs, startedMs, finishedMs }) => [
      { atMs: scheduledMs, waiting: 1, running: 0 },
      { atMs: startedMs, waiting: -1, running: 1 },
      { atMs: finishedMs, waiting: 0, running: -1 },
    ])
    .sort((a, b) => a.atMs - b.atMs)
}

/**
 * Share of the workers' time that was idle although a task waited: the integral of min(waiting, idle workers). It
 * holds the time that a task needs to reach its worker, so no dispatcher has 0. For tasks that hold their thread.
 */
export function wastedShare(runs: readonly TaskRun[], workers: number): number {
  let waiting = 0
  let running = 0
  let wastedMs = 0
  const changes = changesOf(runs)
  changes.forEach((change, at) => {
    const untilMs = changes[at + 1]?.atMs ?? change.atMs
    waiting += change.waiting
    running += change.running
    wastedMs += Math.max(0, Math.min(waiting, workers - running)) * (untilMs - change.atMs)
  })
  const first = changes[0]
  const last = changes.at(-1)
  return first === undefined || last === undefined ? Number.NaN : wastedMs / (workers * (last.atMs - first.atMs))
}

/** Tasks that were due and not yet started, looked at every `stepMs` from `fromMs` to `toMs`. */
export function waitingAt(runs: readonly TaskRun[], fromMs: number, toMs: number, stepMs: number): number[] {
  const changes = changesOf(runs)
  const counts: number[] = []
  let waiting = 0
  let next = 0
  for (let atMs = fromMs; atMs < toMs; atMs += stepMs) {
    while (next < changes.length && (changes[next] as Change).atMs <= atMs)
      waiting += (changes[next++] as Change).waiting
    counts.push(waiting)
  }
  return counts
}

/** Busy ms by thread. */
export function busyMsByThread(runs: readonly TaskRun[]): Map<number, number> {
  const busy = new Map<number, number>()
  for (const { thread, startedMs, finishedMs } of runs) {
    busy.set(thread, (busy.get(thread) ?? 0) + finishedMs - startedMs)
  }
  return busy
}

/** Starts by interval and thread; the threads in the order given. */
export function startsByInterval(
  runs: readonly TaskRun[],
  threads: readonly number[],
  fromMs: number,
  toMs: number,
  intervalMs: number,
): number[][] {
  const intervals = Math.max(1, Math.ceil((toMs - fromMs) / intervalMs))
  const counts = Array.from({ length: intervals }, () => threads.map(() => 0))
  for (const { startedMs, thread } of runs) {
    const row = counts[Math.floor((startedMs - fromMs) / intervalMs)]
    const column = threads.indexOf(thread)
    if (row !== undefined && column >= 0) row[column] = (row[column] as number) + 1
  }
  return counts
}
