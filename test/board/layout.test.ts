import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../support/seeded-properties.js'
import * as layout from '../../src/board/layout.js'
import { boardOf, CLAIMS_PER_LANE, MAX_WINDOW, ticksBetweenMs, ticksOf } from '../../src/board/layout.js'

describe('boardOf', () => {
  test('gives every word of the buffer to one view, without overlap', () => {
    const board = boardOf(undefined, 4)
    const views = [board.row, board.state, board.startedAt, board.runUs, board.answer, board.said]
    let mark = 1
    for (const view of views) for (let at = 0; at < view.length; at++) view[at] = mark++
    const all = new Int32Array(board.buffer)
    expect([...all]).toEqual(Array.from(all, (_, at) => at + 1))
  })

  test('views on the same buffer show the same words', () => {
    const ours = boardOf()
    const theirs = boardOf(ours.buffer)
    ours.state[CLAIMS_PER_LANE - 1] = 7
    theirs.row[layout.ROW_STAMP] = 9
    expect(theirs.state[CLAIMS_PER_LANE - 1]).toBe(7)
    expect(ours.row[layout.ROW_STAMP]).toBe(9)
  })

  test('has a place of its own for each figure of the row, within the row', () => {
    const places = Object.entries(layout).filter(([name]) => name.startsWith('ROW_'))
    const offsets = places.map(([, offset]) => offset as number)
    expect(new Set(offsets).size).toBe(places.length)
    expect(Math.max(...offsets)).toBeLessThan(boardOf().row.length)
  })

  test('keeps the row on cache lines of its own', () => {
    expect(boardOf().state.byteOffset % 64).toBe(0)
  })

  test('has twice the words that a lane may hold tasks', () => {
    expect(CLAIMS_PER_LANE).toBe(2 * MAX_WINDOW)
    expect(Number.isInteger(Math.log2(CLAIMS_PER_LANE))).toBe(true)
  })
})

describe('ticks', () => {
  test('are tenths of a millisecond', () => {
    expect(ticksOf(12.34)).toBe(123)
    expect(ticksBetweenMs(ticksOf(10), ticksOf(12.5))).toBe(2.5)
  })

  test('between two times up to a day apart are right to a tick, wherever the counter wraps', () => {
    const dayMs = 86_400_000
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000 * dayMs }), fc.integer({ min: -dayMs, max: dayMs }), (from, by) => {
        expect(Math.abs(ticksBetweenMs(ticksOf(from), ticksOf(from + by)) - by)).toBeLessThanOrEqual(0.1)
      }),
    )
  })
})
