import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BatchProgress } from '../../../src/batch/options/batch-progress.js'
import {
  ASCII,
  BLOCKS,
  barLine,
  plainLine,
  ratePerSecond,
  remainingMs,
  shareDone,
  slowText,
} from '../../../src/cli/progress/progress-text.js'

const PROGRESS: BatchProgress = {
  ok: 400,
  failed: 10,
  skipped: 0,
  retried: 0,
  unfinished: 0,
  resumed: 0,
  posted: 8,
  elapsedMs: 2000,
  readBytes: 4100,
  resumedBytes: 0,
  totalBytes: 10_000,
  totalRecords: undefined,
  mostRecords: undefined,
  heldBy: undefined,
}

describe('progress', () => {
  test('goes by bytes, or by records when their number is known', () => {
    expect(shareDone(PROGRESS)).toBeCloseTo(0.41)
    expect(shareDone({ ...PROGRESS, totalRecords: 820 })).toBeCloseTo(0.5)
    expect(shareDone({ ...PROGRESS, totalBytes: undefined })).toBeUndefined()
    expect(shareDone({ ...PROGRESS, totalBytes: 0 })).toBeUndefined()
    expect(shareDone({ ...PROGRESS, readBytes: 20_000 })).toBe(1)
    expect(shareDone({ ...PROGRESS, mostRecords: 410 })).toBe(1)
    expect(shareDone({ ...PROGRESS, mostRecords: 100_000 })).toBeCloseTo(0.41)
    expect(shareDone({ ...PROGRESS, mostRecords: 820, totalBytes: undefined })).toBeCloseTo(0.5)
  })

  test('the rate and the rest come from this run alone', () => {
    expect(ratePerSecond(PROGRESS)).toBe(205)
    // 4,100 bytes in 2 s leave 5,900 for 2.9 s.
    expect(remainingMs(PROGRESS)).toBeCloseTo(2878, 0)
    const resumed = { ...PROGRESS, resumed: 1_000_000, resumedBytes: 4000, readBytes: 4100 }
    expect(remainingMs(resumed)).toBeCloseTo(118_000, -1)
    expect(remainingMs({ ...resumed, totalRecords: 1_000_820 })).toBeCloseTo(2000, -1)
    expect(remainingMs({ ...PROGRESS, mostRecords: 820 })).toBeCloseTo(2000, 0)
    expect(remainingMs({ ...PROGRESS, mostRecords: 100_000 })).toBeCloseTo(2878, 0)
    expect(remainingMs({ ...PROGRESS, elapsedMs: 100 })).toBeUndefined()
    expect(remainingMs({ ...PROGRESS, totalBytes: undefined })).toBeUndefined()
  })

  test('a line never grows wider than the terminal, whatever happens', () => {
    const count = fc.nat(10 ** 9)
    fc.assert(
      fc.property(
        fc.record({
          ok: count,
          failed: count,
          skipped: count,
          retried: count,
          resumed: count,
          readBytes: count,
          elapsedMs: count,
        }),
        fc.nat(200),
        fc.option(fc.nat(10 ** 9), { nil: undefined }),
        (counts, columns, totalBytes) => {
          const line = barLine({ ...PROGRESS, ...counts, totalBytes }, columns, BLOCKS)
          expect(line.length).toBeLessThanOrEqual(columns)
        },
      ),
    )
  })

  test('a wide line has everything, a narrow one the first things', () => {
    const wide = barLine({ ...PROGRESS, retried: 3, heldBy: 'load' }, 120, ASCII)
    expect(wide).toBe('############------------------  41%  400 ok  10 failed  205/s  ETA 2.9s  held: load  3 retried')
    expect(barLine(PROGRESS, 12, ASCII)).toBe('41%  400 ok')
    expect(barLine(PROGRESS, 3, ASCII)).toBe('41%')
    expect(barLine(PROGRESS, 2, ASCII)).toBe('')
    expect(barLine({ ...PROGRESS, totalBytes: undefined }, 80, ASCII)).toBe('400 ok  10 failed  205/s')
  })

  test('in a log it is a sentence', () => {
    expect(plainLine({ ...PROGRESS, skipped: 2, resumed: 5 })).toBe(
      '41%, 400 ok, 10 failed, 205/s, ETA 2.9s, 2 skipped, 5 from before, after 2.0s',
    )
    expect(slowText([{ input: 'in', line: 4, ageMs: 12_300 }])).toBe('in:4 (12.3s)')
  })
})
