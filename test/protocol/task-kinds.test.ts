import { describe, expect, test } from 'vitest'
import { kindsOf } from '../../src/protocol/task-kinds.js'

describe('kinds', () => {
  test('stand in the order of the names; a task of which nothing is said is a CPU task', () => {
    expect(kindsOf({ c: 'io', a: 'cpu' }, ['a', 'b', 'c'])).toEqual(['cpu', 'cpu', 'io'])
    expect(kindsOf(undefined, ['a'])).toEqual(['cpu'])
    expect(kindsOf({}, ['a', 'toString'])).toEqual(['cpu', 'cpu'])
  })

  test('of a name that is no task are refused, with the task that was meant', () => {
    expect(() => kindsOf({ fetchPgae: 'io' }, ['resize', 'fetchPage'])).toThrow(
      new TypeError("kinds.fetchPgae: the module exports no task 'fetchPgae'; did you mean 'fetchPage'?"),
    )
  })

  test('of a name that is like none are refused with a list of the tasks', () => {
    for (const kinds of [{ setup: 'io' }, { toString: 'io' }]) {
      expect(() => kindsOf(kinds, ['a', 'fetchPage'])).toThrow('its tasks are a, fetchPage')
    }
    expect(() => kindsOf(['fetchPage'], ['fetchPage'])).toThrow("kinds.0: the module exports no task '0'")
  })

  test.each(['gpu', 'IO', true, undefined, null])('that are %j are refused by the name of the task', (kind) => {
    expect(() => kindsOf({ a: kind }, ['a'])).toThrow(`kinds.a: expected 'cpu' or 'io', got ${kind}`)
  })

  test.each(['io', null, 1])('that are no object but %j are refused with an example', (kinds) => {
    expect(() => kindsOf(kinds, ['fetchPage'])).toThrow("expected an object such as { fetchPage: 'io' }")
  })
})
