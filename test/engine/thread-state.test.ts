import { describe, expect, test } from 'vitest'
import { type ThreadState, transition } from '../../src/engine/thread-state.js'

/** Written down a second time on purpose: a change of the table must be meant. */
const ARROWS: Record<ThreadState, string> = {
  starting: 'idle draining dead',
  idle: 'busy ejected draining dead',
  busy: 'idle suspect ejected draining dead',
  suspect: 'idle busy stalled ejected draining dead',
  stalled: 'idle busy draining dead',
  ejected: 'idle busy suspect draining dead',
  draining: 'dead',
  dead: 'starting',
}

const states = Object.keys(ARROWS) as ThreadState[]
const pairs = states.flatMap((from) =>
  states.map((to) => ({ from, to, allowed: ARROWS[from].split(' ').includes(to) })),
)

describe('transition', () => {
  test.each(pairs.filter(({ allowed }) => allowed))('leads from $from to $to', ({ from, to }) => {
    expect(transition(from, to)).toBe(to)
  })

  test.each(pairs.filter(({ allowed }) => !allowed))('throws from $from to $to', ({ from, to }) => {
    expect(() => transition(from, to)).toThrow(`no transition from ${from} to ${to}`)
  })

  test('every state can be reached, and every one ends', () => {
    const from = (start: ThreadState) => {
      const reached = new Set<ThreadState>([start])
      for (const state of reached)
        for (const { to } of pairs.filter((pair) => pair.allowed && pair.from === state)) reached.add(to)
      return reached
    }
    expect(from('starting').size).toBe(states.length)
    for (const state of states) expect(from(state)).toContain('dead')
  })
})
