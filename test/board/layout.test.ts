import { describe, expect, test } from 'vitest'
import * as layout from '../../src/board/layout.js'
import { boardOf, CLAIMS_PER_LANE, MAX_WINDOW, wideOf } from '../../src/board/layout.js'

describe('boardOf', () => {
  test('gives every byte of the buffer to one view, without overlap', () => {
    for (const claims of [1, 4, CLAIMS_PER_LANE]) {
      const { buffer, ...views } = boardOf(undefined, claims)
      const ends = Object.values(views)
        .map((view) => [view.byteOffset, view.byteOffset + view.byteLength] as const)
        .sort(([from], [other]) => from - other)
      expect(ends.map(([from]) => from)).toEqual([0, ...ends.slice(0, -1).map(([, to]) => to)])
      expect(ends.at(-1)![1]).toBe(buffer.byteLength)
    }
  })

  test('views on the same buffer show the same words', () => {
    const ours = boardOf()
    const theirs = boardOf(ours.buffer)
    ours.state[CLAIMS_PER_LANE - 1] = 7
    wideOf(theirs.row)[layout.WIDE_STAMP] = 9.5
    theirs.startedAt[0] = 2 ** 40
    expect(theirs.state[CLAIMS_PER_LANE - 1]).toBe(7)
    expect(wideOf(ours.row)[layout.WIDE_STAMP]).toBe(9.5)
    expect(ours.startedAt[0]).toBe(2 ** 40)
  })

  test('has a place of its own for each figure of the row, within its half', () => {
    const { row } = boardOf()
    const wide = wideOf(row)
    const placesOf = (prefix: string) =>
      Object.entries(layout)
        .filter(([name]) => name.startsWith(prefix))
        .map(([, place]) => place as number)
    for (const [places, length] of [
      [placesOf('ROW_'), wide.byteOffset / Int32Array.BYTES_PER_ELEMENT],
      [placesOf('WIDE_'), wide.length],
    ] as const) {
      expect(new Set(places).size).toBe(places.length)
      expect(Math.max(...places)).toBeLessThan(length)
    }
    expect(wide.byteOffset + wide.byteLength).toBeLessThanOrEqual(row.byteOffset + row.byteLength)
  })

  test('keeps the row on cache lines of its own', () => {
    expect([boardOf().startedAt.byteOffset % 64, boardOf().state.byteOffset % 64]).toEqual([0, 0])
  })

  test('has twice the words that a lane may hold tasks', () => {
    expect(CLAIMS_PER_LANE).toBe(2 * MAX_WINDOW)
    expect(Number.isInteger(Math.log2(CLAIMS_PER_LANE))).toBe(true)
  })
})
