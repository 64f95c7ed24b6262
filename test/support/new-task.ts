import type { RunOptions } from '../../src/dispatcher/options/run-options.js'
import { Task } from '../../src/dispatcher/tasks/task.js'
import { TaskStats } from '../../src/dispatcher/tasks/task-stats.js'
import type { TaskKind } from '../../src/protocol/batch.js'

interface TaskParts {
  readonly name?: string
  readonly kind?: TaskKind
  /** Statistics to share with other tasks; then name and kind are theirs. */
  readonly stats?: TaskStats
  readonly payload?: unknown
  readonly payloadBytes?: number
  readonly options?: RunOptions
  readonly submittedMs?: number
  readonly sequence?: number
}

/** A task as `run` makes it, with what a test wants to say of it. */
export function newTask(parts: TaskParts = {}): Task {
  const stats = parts.stats ?? statsOf(parts.name ?? 'work', parts.kind)
  const task = new Task(stats, parts.payload, parts.options ?? {}, parts.submittedMs ?? 1_000, parts.sequence ?? 0)
  task.payloadBytes = parts.payloadBytes ?? 0
  task.resolve = () => {}
  task.reject = () => {}
  return task
}

/** Statistics of a name that ran `runs` times for `runMs` each. */
export function statsOf(name: string, kind: TaskKind = 'cpu', runMs = 1, runs = 0): TaskStats {
  const stats = new TaskStats(name)
  stats.kind = kind
  for (let run = 0; run < runs; run++) stats.record(runMs * 1000, true)
  return stats
}

/** Tasks of one name in the order of submission. */
export function newTasks(count: number, parts: TaskParts = {}): Task[] {
  const stats = parts.stats ?? statsOf(parts.name ?? 'work', parts.kind)
  return Array.from({ length: count }, (_, sequence) => newTask({ payload: sequence, ...parts, stats, sequence }))
}
