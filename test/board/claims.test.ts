import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../support/seeded-properties.js'
import {
  ABORTING,
  askToEnd,
  CLAIMED,
  claim,
  DONE,
  DOOMED,
  doom,
  FREE,
  finish,
  free,
  indexOf,
  keyOf,
  POSTED,
  post,
  REVOKED,
  revoke,
  stateOf,
} from '../../src/board/claims.js'
import { CLAIMS_PER_LANE } from '../../src/board/layout.js'

const CHANGES = { claim, finish, revoke, askToEnd, doom }
type Change = keyof typeof CHANGES

/** Every change that is allowed, by the state it starts from; all others are refused. */
const ARROWS: Record<string, Partial<Record<Change, number>>> = {
  posted: { claim: CLAIMED, revoke: REVOKED },
  claimed: { finish: DONE, askToEnd: ABORTING, doom: DOOMED },
  aborting: { finish: DONE, doom: DOOMED },
  done: {},
  revoked: {},
  doomed: {},
}

const STATES: Record<string, { state: number; way: readonly Change[] }> = {
  posted: { state: POSTED, way: [] },
  claimed: { state: CLAIMED, way: ['claim'] },
  aborting: { state: ABORTING, way: ['claim', 'askToEnd'] },
  done: { state: DONE, way: ['claim', 'finish'] },
  revoked: { state: REVOKED, way: ['revoke'] },
  doomed: { state: DOOMED, way: ['claim', 'doom'] },
}

function wordIn(name: string): { words: Int32Array; key: number } {
  const words = new Int32Array(CLAIMS_PER_LANE)
  const key = post(words, 3)
  for (const change of STATES[name]!.way) CHANGES[change](words, key)
  expect(stateOf(words, key)).toBe(STATES[name]!.state)
  return { words, key }
}

describe('changes of a claim word', () => {
  const all = Object.keys(STATES).flatMap((from) =>
    (Object.keys(CHANGES) as Change[]).map((change) => ({ from, change })),
  )

  test.each(all)('$change from $from does what the table says and nothing else', ({ from, change }) => {
    const { words, key } = wordIn(from)
    const target = ARROWS[from]![change]
    expect(CHANGES[change](words, key)).toBe(target !== undefined)
    expect(stateOf(words, key)).toBe(target ?? STATES[from]!.state)
  })

  test.each(Object.keys(STATES))('free from %s is allowed once the message was answered', (from) => {
    const { words, key } = wordIn(from)
    if (from === 'done' || from === 'revoked') {
      free(words, key)
      expect(stateOf(words, key)).toBe(FREE)
    } else expect(() => free(words, key)).toThrow(/answered while in state/)
  })
})

describe('post', () => {
  test('refuses a word in use', () => {
    const words = new Int32Array(2)
    post(words, 1)
    expect(() => post(words, 1)).toThrow('claim word 1 is in use (1)')
  })

  test('gives each use of a word a generation of its own, so an old key changes nothing', () => {
    const words = new Int32Array(2)
    const old = post(words, 0)
    revoke(words, old)
    free(words, old)
    const key = post(words, 0)
    expect(key).not.toBe(old)
    expect(indexOf(key)).toBe(0)
    expect(stateOf(words, old)).toBe(-1)
    for (const change of Object.values(CHANGES)) expect(change(words, old)).toBe(false)
    expect(() => free(words, old)).toThrow()
    expect(stateOf(words, key)).toBe(POSTED)
  })

  test('wraps the generation after 18 bits', () => {
    const words = new Int32Array(1)
    const uses = Array.from({ length: (1 << 18) + 1 }, () => {
      const key = post(words, 0)
      revoke(words, key)
      free(words, key)
      return key
    })
    expect(uses.slice(0, 2)).toEqual([keyOf(0, 1), keyOf(0, 2)])
    expect(uses.slice(-3)).toEqual([keyOf(0, (1 << 18) - 1), keyOf(0, 0), keyOf(0, 1)])
  })
})

describe('keys', () => {
  test('stay small integers and name their word', () => {
    const index = fc.integer({ min: 0, max: CLAIMS_PER_LANE - 1 })
    const generation = fc.integer({ min: 0, max: (1 << 18) - 1 })
    fc.assert(
      fc.property(index, generation, (at, use) => {
        const key = keyOf(at, use)
        expect(indexOf(key)).toBe(at)
        expect(key).toBeGreaterThanOrEqual(0)
        // Two bits more in an answer must still fit into 30.
        expect(key).toBeLessThan(2 ** 27)
      }),
    )
  })
})

test('any sequence of changes follows the table', () => {
  const change = fc.constantFrom(...(Object.keys(CHANGES) as Change[]))
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const words = new Int32Array(1)
      const key = post(words, 0)
      let at = 'posted'
      for (const name of changes) {
        const target = ARROWS[at]![name]
        expect(CHANGES[name](words, key)).toBe(target !== undefined)
        if (target !== undefined) at = Object.keys(STATES).find((state) => STATES[state]!.state === target)!
        expect(stateOf(words, key)).toBe(STATES[at]!.state)
      }
    }),
  )
})
