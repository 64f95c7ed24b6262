import { expect, test } from 'vitest'
import { isNestedDeeperThan } from '../../workers/encode-thrown.js'

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = wrap(value)
  return value
}

test.each<[string, (inner: unknown) => unknown]>([
  ['objects', (inner) => ({ inner })],
  ['arrays', (inner) => [1, inner]],
  ['Maps', (inner) => new Map([[1, inner]])],
  ['keys of Maps', (inner) => new Map([[inner, 1]])],
  ['Sets', (inner) => new Set([inner])],
])('counts the levels of %s', (_, wrap) => {
  expect(isNestedDeeperThan(10, nested(10, wrap))).toBe(false)
  expect(isNestedDeeperThan(10, nested(11, wrap))).toBe(true)
  expect(isNestedDeeperThan(500, nested(100_000, wrap))).toBe(true)
})

test('a value that holds itself ends, and what is wide is not deep', () => {
  const loop: { self?: unknown } = {}
  loop.self = loop
  expect(isNestedDeeperThan(10, loop)).toBe(false)
  expect(
    isNestedDeeperThan(
      10,
      Array.from({ length: 50_000 }, () => ({})),
    ),
  ).toBe(false)
  expect(isNestedDeeperThan(0, 'text')).toBe(false)
})
