import { expect, test } from 'vitest'
import { envelopeLine, errorLine } from '../../../src/batch/output/record-writer.js'
import { loneRecord } from '../scratch-folder.js'

test('an envelope is JSON with the value as it was written', () => {
  const record = loneRecord(4)
  record.attempts = 2
  const line = envelopeLine(record, { type: 'ok', result: '{"a":9007199254740993}', runMs: 1.23456 })
  expect(line).toBe('{"id":5,"ok":true,"value":{"a":9007199254740993},"attempt":2,"ms":1.235}')
  record.key = 'k"'
  const failed = envelopeLine(record, { type: 'failed', error: { name: 'E', message: 'm' } })
  expect(JSON.parse(failed)).toEqual({ id: 'k"', ok: false, error: { name: 'E', message: 'm' }, attempt: 2 })
})

test('an error line repeats the text of the record, unless it is too long', () => {
  const error = { name: 'E', message: 'm' }
  const record = loneRecord(0)
  expect(JSON.parse(errorLine(record, 'in', error, Buffer.from('{"a":1}')))).toMatchObject({
    file: 'in',
    line: 1,
    offset: 0,
    record: '{"a":1}',
  })
  expect(JSON.parse(errorLine(record, 'in', error, Buffer.alloc(100_000)))).not.toHaveProperty('record')
})
