import type { LoadView, SelectionStrategy, SelectionTask } from '../../src/selection/load-view.js'

/** A random source that answers from a list and fails when it is asked more often. */
export function scripted(...draws: number[]): () => number {
  let next = 0
  return () => {
    if (next === draws.length) throw new Error(`asked for draw ${next + 1} of ${draws.length}`)
    return draws[next++]!
  }
}

/** The winners of successive picks. */
export function picks(strategy: SelectionStrategy, view: LoadView, count: number, task: SelectionTask = {}): number[] {
  return Array.from({ length: count }, () => strategy.pick(view, task))
}

/** How often each worker won. A pick of nobody shows as a count at -1 and fails every comparison of lengths. */
export function tally(strategy: SelectionStrategy, view: LoadView, count: number): number[] {
  const counts = new Array<number>(view.size).fill(0)
  for (const index of picks(strategy, view, count)) {
    if (index < 0 || index >= view.size) throw new Error(`picked ${index} of ${view.size}`)
    counts[index]!++
  }
  return counts
}
