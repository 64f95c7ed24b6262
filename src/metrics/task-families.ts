/** The metrics of tasks by task name. */

import type { TaskCounts } from '../dispatcher/snapshot.js'
import { addCounts } from './duration-counts.js'
import type { FamilyMaker, Labels, MetricFamily, Reading } from './exposition.js'
import { type BoundedLabels, OTHER } from './exposition.js'

/** The most task names with their own series, about 70 each. The tasks of all other names count as `other`. */
export const MAX_TASK_LABELS = 100

type Counters = Readonly<Record<string, number>>

function addUp(a: Counters, b: Counters): Counters {
  return Object.fromEntries(Object.entries(a).map(([key, count]) => [key, count + b[key]!]))
}

function together(a: TaskCounts, b: TaskCounts): TaskCounts {
  return {
    task: a.task,
    submitted: a.submitted + b.submitted,
    outcomes: addUp(a.outcomes, b.outcomes) as TaskCounts['outcomes'],
    retries: addUp(a.retries, b.retries) as TaskCounts['retries'],
    wait: addCounts(a.wait, b.wait),
    run: addCounts(a.run, b.run),
    total: addCounts(a.total, b.total),
  }
}

/** Only names that the module has get a label: otherwise each mistyped name would make a series. */
function byLabel(counts: readonly TaskCounts[], labels: BoundedLabels): [Labels, TaskCounts][] {
  const grouped = new Map<string, TaskCounts>()
  for (const each of counts) {
    const label = each.task === undefined ? OTHER : labels.of(each.task)
    const before = grouped.get(label)
    grouped.set(label, before === undefined ? each : together(before, each))
  }
  return [...grouped].map(([task, count]) => [{ task }, count])
}

function split(counts: [Labels, TaskCounts][], label: string, of: (counts: TaskCounts) => Counters): Reading[] {
  return counts.flatMap(([task, each]) =>
    Object.entries(of(each)).map(([key, count]): Reading => [{ ...task, [label]: key }, count]),
  )
}

export function taskFamilies(make: FamilyMaker, counts: readonly TaskCounts[], labels: BoundedLabels): MetricFamily[] {
  const named = byLabel(counts, labels)
  const times = (kind: 'wait' | 'run' | 'total') =>
    named.map(([task, each]): [Labels, TaskCounts['wait']] => [task, each[kind]])
  return [
    make.counter(
      'tasks_submitted_total',
      'Tasks handed to the pool, refused ones included.',
      named.map(([task, { submitted }]) => [task, submitted]),
    ),
    make.counter(
      'tasks_completed_total',
      'Tasks that settled, and calls that were refused, by what became of them.',
      split(named, 'outcome', ({ outcomes }) => outcomes),
    ),
    make.counter(
      'task_retries_total',
      'Further attempts at tasks, by what made them necessary.',
      split(named, 'reason', ({ retries }) => retries),
    ),
    make.histogram('task_wait_seconds', 'Time of tasks from submission to start.', times('wait')),
    make.histogram('task_run_seconds', 'Time of tasks from start to finish.', times('run')),
    make.histogram('task_total_seconds', 'Time of tasks from submission until their promise settled.', times('total')),
  ]
}
