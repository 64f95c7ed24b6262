import { expect, test } from 'vitest'
import { InputRecord } from '../../../src/batch/records/record.js'

test('a new record was never started and knows its place', () => {
  const record = new InputRecord(5, 1, 7, 100, 120, undefined)
  expect(record).toMatchObject({ place: 5, input: 1, line: 7, offset: 100, endOffset: 120, attempts: 0 })
  expect(record.fault).toBeUndefined()
})
