import { exploreAllOrders, type Stepwise, type Trial } from './explorer.js'
import { type StepwiseClaims, stepwiseClaims } from './stepwise-claims.js'
import { TinyLane } from './tiny-lane.js'

const real = stepwiseClaims()

export type Actor = (lane: TinyLane) => Stepwise<void>

interface Play {
  readonly tasks: readonly string[]
  readonly actors: Readonly<Record<string, Actor>>
  /** Actors that need not finish: a doomed worker waits for its end, a dead one does nothing more. */
  readonly mayStop?: readonly string[]
  readonly claims?: StepwiseClaims
}

/** Plays the actors in every order, judging each step and each end; answers how many orders there were. */
export function play({ tasks, actors, mayStop = [], claims = real }: Play): number {
  return exploreAllOrders((): Trial => {
    const lane = new TinyLane(claims)
    return {
      actors: new Map(Object.entries(actors).map(([name, actor]) => [name, actor(lane)])),
      shared: () => lane.state,
      afterStep: () => lane.check(tasks),
      atEnd: (finished) => {
        const stuck = Object.keys(actors).filter((name) => !finished.has(name) && !mayStop.includes(name))
        if (stuck.length > 0) throw new Error(`${stuck.join(' and ')} waited for ever`)
        lane.checkSettled(tasks)
      },
    }
  })
}

/** Reads the port until the lane holds nothing and has all its words back. */
export function* untilEmpty(lane: TinyLane): Stepwise<void> {
  while (lane.freeWords < lane.words.length) {
    yield () => lane.toDispatcher.length > 0
    yield* lane.readAnswers()
  }
}

/** Posts both tasks and takes back what the worker has not started. */
export function* postBothAndTakeBack(lane: TinyLane): Stepwise<void> {
  yield* lane.post('a')
  yield* lane.post('b')
  yield* lane.takeBack()
}

/** What was taken back is posted again, as soon as there is a word for it. */
export function* postAgain(lane: TinyLane): Stepwise<void> {
  while (lane.queue.length > 0) {
    while (lane.freeWords === 0) {
      yield () => lane.toDispatcher.length > 0
      yield* lane.readAnswers()
    }
    yield* lane.post(lane.queue.shift()!)
  }
}
