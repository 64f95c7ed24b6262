import { describe, expect, test } from 'vitest'
import { boardOf, ROW_BEAT, ROW_STAMP, ticksOf } from '../../src/board/layout.js'
import { RowReader } from '../../src/board/row-reader.js'

describe('RowReader', () => {
  test('ages a stamp by our own clock although the worker writes nothing', () => {
    const { row } = boardOf()
    const reader = new RowReader(row)
    row[ROW_STAMP] = ticksOf(1_000)
    row[ROW_BEAT] = ticksOf(1_000)
    for (const ageMs of [0, 7, 250, 60_000]) {
      expect(reader.cpuProgressAgeMs(ticksOf(1_000 + ageMs))).toBe(ageMs)
      expect(reader.beatAgeMs(ticksOf(1_000 + ageMs))).toBe(ageMs)
    }
  })

  test('reads ages across the wrap of the counter', () => {
    const { row } = boardOf()
    row[ROW_STAMP] = 2 ** 31 - 5
    expect(new RowReader(row).cpuProgressAgeMs(-(2 ** 31) + 5)).toBe(1)
  })
})
