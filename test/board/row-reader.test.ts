import { describe, expect, test } from 'vitest'
import { boardOf, WIDE_BEAT, WIDE_IO_STAMP, WIDE_STAMP, WIDE_STARTED, wideOf } from '../../src/board/layout.js'
import { RowReader } from '../../src/board/row-reader.js'
import { RowWriter } from '../../src/board/row-writer.js'

const DAY_MS = 86_400_000

describe('RowReader', () => {
  test('ages a stamp by our own clock although the worker writes nothing, for years', () => {
    const { row } = boardOf()
    const reader = new RowReader(row)
    wideOf(row)[WIDE_STAMP] = 1_000
    wideOf(row)[WIDE_BEAT] = 1_000
    for (const ageMs of [0, 7, 250, 60_000, 3 * DAY_MS, 1_000 * DAY_MS]) {
      expect(reader.cpuProgressAgeMs(1_000 + ageMs)).toBe(ageMs)
      expect(reader.beatAgeMs(1_000 + ageMs)).toBe(ageMs)
    }
  })

  test('takes the last sign of any kind for the sign of life, however old the others are', () => {
    const { row } = boardOf()
    const wide = wideOf(row)
    for (const place of [WIDE_BEAT, WIDE_STAMP, WIDE_IO_STAMP]) {
      wide.fill(0)
      wide[place] = 4 * DAY_MS
      expect(new RowReader(row).signAgeMs(4 * DAY_MS + 12)).toBe(12)
    }
  })

  test('a worker holds answers back when it keeps some and gives no sign for more than 10 ms', () => {
    const { row } = boardOf()
    const writer = new RowWriter(row)
    const reader = new RowReader(row)
    writer.active(100)
    expect(reader.holdsBack(200)).toBe(false)
    writer.keeping(true)
    expect([reader.holdsBack(110), reader.holdsBack(111)]).toEqual([false, true])
    writer.stamp('cpu', 111)
    expect(reader.holdsBack(112)).toBe(false)
    writer.keeping(false)
    expect(reader.holdsBack(200)).toBe(false)
  })

  test('counts more starts than an Int32 holds', () => {
    const { row } = boardOf()
    wideOf(row)[WIDE_STARTED] = 2 ** 31
    expect(new RowReader(row).started).toBe(2 ** 31)
  })
})
