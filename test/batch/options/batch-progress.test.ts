import { expect, test } from 'vitest'
import { finalCounts } from '../../../src/batch/options/batch-progress.js'

const COUNTS = { ok: 5, failed: 2, skipped: 1, retried: 3, unfinished: 1, resumed: 4 }

test('the counts are those of the whole, beside those of this run', () => {
  const passed = { ok: 5, failed: 2, skipped: 1 }
  expect(finalCounts(COUNTS, passed, { ok: 9, failed: 3, skipped: 1 })).toEqual({
    ...COUNTS,
    ok: 9,
    failed: 3,
    thisRun: passed,
  })
  expect(finalCounts(COUNTS, passed, undefined)).toEqual({ ...COUNTS, thisRun: passed })
})

test('what ended and was not written is unfinished', () => {
  const passed = { ok: 3, failed: 2, skipped: 0 }
  expect(finalCounts(COUNTS, passed, undefined)).toMatchObject({ ok: 3, failed: 2, skipped: 0, unfinished: 4 })
})
