import { expect, test } from 'vitest'
import { boardOf } from '../../src/board/layout.js'
import { HeardValues } from '../../src/engine/heard-values.js'

test('a task is complete when as many values came as it has sent, in their order', () => {
  const board = boardOf()
  const heard = new HeardValues(board)
  heard.begin(3)
  expect(heard.isComplete(3)).toBe(true)
  board.said[3] = 2
  expect([heard.count(3, 0), heard.isComplete(3)]).toEqual([true, false])
  expect([heard.count(3, 1), heard.isComplete(3)]).toEqual([true, true])
  expect(heard.isComplete(4)).toBe(true)
})

test('after a gap nothing counts, and the loss is told once', () => {
  const board = boardOf()
  const heard = new HeardValues(board)
  heard.begin(3)
  board.said[3] = 3
  expect([heard.count(3, 0), heard.count(3, 2)]).toEqual([true, false])
  expect([heard.lose(3), heard.lose(3), heard.count(3, 1), heard.isComplete(3)]).toEqual([true, false, false, false])
  heard.begin(3)
  board.said[3] = 0
  expect(heard.isComplete(3)).toBe(true)
})

test('the task whose last value was in a message is known', () => {
  const board = boardOf()
  board.saidIn[3] = 17
  const heard = new HeardValues(board)
  expect([heard.wasSentIn(3, 17), heard.wasSentIn(3, 18)]).toEqual([true, false])
})
