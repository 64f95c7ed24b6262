/**
 * Runs a few actors in every order in which their steps can follow each other.
 *
 * Orders after which everything is alike (what is shared, how far each actor is, and what it has seen so far) have
 * the same futures; these are played once and counted as often as they occur.
 */

/** What an actor says between two steps: nothing, or the condition that must hold before it can go on. */
export type Step = (() => boolean) | undefined

/** Runs up to its next yield at a time. It may look at shared things only through `observe`, or by what it waits for. */
export type Stepwise<T> = Generator<Step, T, void>

export interface Trial {
  /** By name. */
  readonly actors: ReadonlyMap<string, Stepwise<void>>
  /** All that is shared, in writing. */
  readonly shared: () => string
  /** Called after every step; throws when something is wrong. */
  readonly afterStep: () => void
  /** Called when no actor can go on. An actor that waits for something that never comes has not finished. */
  readonly atEnd: (finished: ReadonlySet<string>) => void
}

export class OrderFault extends Error {
  constructor(order: readonly string[], cause: unknown) {
    super(`${cause instanceof Error ? cause.message : String(cause)}\nin the order ${order.join(' ')}`, { cause })
  }
}

/** What the actor whose step is being played has seen. */
let seen: string[] = []

/** Every value that an actor reads from what it shares with others passes through here. */
export function observe<T>(value: T): T {
  seen.push(JSON.stringify(value) ?? '')
  return value
}

/** Returns how many orders there are; throws an `OrderFault` at the first that goes wrong. */
export function exploreAllOrders(newTrial: () => Trial): number {
  const known = new Map<string, number>()
  const countFrom = (order: readonly string[]): number => {
    const run = replay(newTrial(), order)
    let count = known.get(run.state)
    if (count !== undefined) return count
    count = run.able.length === 0 ? 1 : 0
    for (const name of run.able) count += countFrom([...order, name])
    known.set(run.state, count)
    return count
  }
  return countFrom([])
}

interface Run {
  readonly able: readonly string[]
  readonly state: string
}

function replay(trial: Trial, order: readonly string[]): Run {
  const actors = [...trial.actors.keys()]
  const waiting = new Map<string, () => boolean>()
  const finished = new Set<string>()
  const histories = new Map(actors.map((name) => [name, [] as string[]]))
  const isAble = (name: string) => !finished.has(name) && (waiting.get(name)?.() ?? true)
  try {
    for (const name of order) {
      seen = histories.get(name)!
      seen.push('|')
      const { done, value } = trial.actors.get(name)!.next()
      if (done) finished.add(name)
      else if (value === undefined) waiting.delete(name)
      else waiting.set(name, value)
      trial.afterStep()
    }
    const able = actors.filter(isAble)
    if (able.length === 0) trial.atEnd(finished)
    const past = actors.map((name) => `${name} ${finished.has(name)} ${histories.get(name)!.join(' ')}`)
    return { able, state: [trial.shared(), ...past].join('\n') }
  } catch (fault) {
    throw new OrderFault(order, fault)
  }
}
