import { expect, test } from 'vitest'
import { laterPosition, positionAfter } from '../../../src/batch/records/record.js'
import { loneRecord } from '../scratch-folder.js'

test('the place after a record is behind its separator', () => {
  expect(positionAfter(loneRecord(3))).toEqual({ input: 0, offset: 40, records: 4 })
})

test('of two places the later one counts, by input first', () => {
  const at = (input: number, offset: number) => ({ input, offset, records: 0 })
  expect(laterPosition(at(0, 9), at(1, 0))).toEqual(at(1, 0))
  expect(laterPosition(at(1, 5), at(1, 4))).toEqual(at(1, 5))
  expect(laterPosition(at(2, 0), at(1, 9))).toEqual(at(2, 0))
})
