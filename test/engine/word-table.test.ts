import { beforeEach, expect, test } from 'vitest'
import { claim, finish, revoke } from '../../src/board/claims.js'
import { boardOf, CLAIMS_PER_LANE } from '../../src/board/layout.js'
import { WordTable } from '../../src/engine/word-table.js'

let board = boardOf()
let table = new WordTable<{ key: number }>(board)
beforeEach(() => {
  board = boardOf()
  table = new WordTable(board)
})

function taken() {
  const task = { key: -1 }
  task.key = table.take(task)
  return task
}

test('a task is known under its key until it is forgotten, and the word is free when it is freed', () => {
  const task = taken()
  expect([table.taskOf(task.key), table.freeCount]).toEqual([task, CLAIMS_PER_LANE - 1])
  const { key } = task
  table.forget(key)
  expect([table.taskOf(key), table.freeCount]).toEqual([undefined, CLAIMS_PER_LANE - 1])
  revoke(board.state, key)
  table.free(key)
  expect(table.freeCount).toBe(CLAIMS_PER_LANE)
})

test('a message names the words that were sent in it and that no worker has started', () => {
  const [first, second, third, other] = [taken(), taken(), taken(), taken()]
  for (const { key } of [first, second, third]) table.sent(key, 5)
  table.sent(other.key, 6)
  claim(board.state, first.key)
  revoke(board.state, second.key)
  expect(table.namedBy(5)).toEqual([second.key, third.key])
  expect(table.namedBy(6)).toEqual([other.key])
  expect(table.namedBy(7)).toEqual([])
})

test('a message answers the words that its sender says it does, unless they are free again', () => {
  const [done, skipped, running, free] = [taken(), taken(), taken(), taken()]
  for (const { key } of [done, running, free]) claim(board.state, key)
  for (const { key } of [done, free]) finish(board.state, key)
  revoke(board.state, skipped.key)
  for (const { key } of [done, skipped, running, free]) board.answer[key % CLAIMS_PER_LANE] = 3
  table.free(free.key)
  expect(table.answeredBy(3)).toEqual([done.key, skipped.key])
  expect(table.answeredBy(4)).toEqual([])
})
