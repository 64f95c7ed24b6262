/** Enqueue and dequeue at different lengths and numbers of priorities; both must not depend on the length. */

import { CentralQueue } from '../../../../src/dispatcher/places/central-queue.js'
import { Task } from '../../../../src/dispatcher/tasks/task.js'
import { TaskStats } from '../../../../src/dispatcher/tasks/task-stats.js'
import type { MicroBench } from '../../micro-bench.js'

const operations = 1_000

function queueBench(size: number, priorities: number): MicroBench {
  const queue = new CentralQueue(1_000)
  const stats = new TaskStats('noop')
  let sequence = 0
  const submit = (): void => {
    const task = new Task(stats, undefined, { priority: sequence % priorities }, sequence / 1_000, sequence)
    sequence++
    queue.push(task)
  }
  for (let waiting = 0; waiting < size; waiting++) submit()
  return {
    source: 'src/dispatcher/places/central-queue.ts',
    name: `enqueue and dequeue, ${priorities} ${priorities === 1 ? 'priority' : 'priorities'}`,
    size,
    operations,
    call: () => {
      for (let round = 0; round < operations; round++) {
        submit()
        queue.remove(queue.peek() as Task)
      }
    },
  }
}

export function queueBenches(): MicroBench[] {
  return [1, 4].flatMap((priorities) => [100, 10_000, 1_000_000].map((size) => queueBench(size, priorities)))
}
