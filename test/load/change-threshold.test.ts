import { expect, test } from 'vitest'
import { ChangeThreshold } from '../../src/load/change-threshold.js'

test('movements up to the threshold do not count, larger ones do', () => {
  const changes = new ChangeThreshold(2, 2)
  expect(changes.hasMoved(0, 50)).toBe(true)
  expect(changes.hasMoved(0, 52)).toBe(false)
  expect(changes.hasMoved(0, 48)).toBe(false)
  expect(changes.hasMoved(0, 52.1)).toBe(true)
  expect(changes.hasMoved(0, 50.5)).toBe(false)
})

test('a slow drift counts once it adds up', () => {
  const changes = new ChangeThreshold(2, 1)
  let moves = 0
  for (let value = 0; value <= 100; value++) if (changes.hasMoved(0, value)) moves++
  // The first value, and then every third point.
  expect(moves).toBe(34)
})

test('slots are apart, and a reset slot counts its next value', () => {
  const changes = new ChangeThreshold(0, 2)
  expect(changes.hasMoved(0, 5)).toBe(true)
  expect(changes.hasMoved(1, 5)).toBe(true)
  expect(changes.hasMoved(0, 5)).toBe(false)
  changes.reset(0)
  expect(changes.hasMoved(0, 5)).toBe(true)
  expect(changes.hasMoved(1, 5)).toBe(false)
})
