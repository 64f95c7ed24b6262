/**
 * The states of a worker and the transitions between them. A transition that is not in the table is a bug in evenkeel
 * and throws.
 *
 * | state     | meaning                                                        | gets work                      |
 * |-----------|----------------------------------------------------------------|--------------------------------|
 * | starting  | the thread boots or imports the task module                    | no                             |
 * | idle      | loaded, nothing posted                                         | yes                            |
 * | busy      | loaded, something posted, the event loop turns                 | while it has room              |
 * | suspect   | no sign of life for longer than a beat should take: no fault   | no (soft: see `placement.ts`)  |
 * | stalled   | silent for longer than its task's name explains, twice in a row| no                             |
 * | ejected   | answers, but fails what others do not fail                     | no (soft), for a while         |
 * | draining  | has left its slot; finishes what it has begun, then ends       | no                             |
 * | dead      | no thread                                                      | no                             |
 */

export type ThreadState = 'starting' | 'idle' | 'busy' | 'suspect' | 'stalled' | 'ejected' | 'draining' | 'dead'

const TRANSITIONS: Readonly<Record<ThreadState, readonly ThreadState[]>> = {
  starting: ['idle', 'draining', 'dead'],
  idle: ['busy', 'ejected', 'draining', 'dead'],
  busy: ['idle', 'suspect', 'ejected', 'draining', 'dead'],
  suspect: ['idle', 'busy', 'stalled', 'ejected', 'draining', 'dead'],
  stalled: ['idle', 'busy', 'draining', 'dead'],
  ejected: ['idle', 'busy', 'suspect', 'draining', 'dead'],
  draining: ['dead'],
  dead: ['starting'],
}

/** Returns the new state. Throws when the table does not have the transition. */
export function transition(from: ThreadState, to: ThreadState): ThreadState {
  if (!TRANSITIONS[from].includes(to)) throw new Error(`no transition from ${from} to ${to}`)
  return to
}
