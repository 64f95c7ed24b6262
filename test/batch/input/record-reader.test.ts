import { expect, test } from 'vitest'
import { countRecords, openReader, type ReaderOptions } from '../../../src/batch/input/record-reader.js'
import { RecordArena } from '../../../src/batch/records/record-arena.js'
import { memorySource } from '../scratch-folder.js'

const options = (more: Partial<ReaderOptions>): ReaderOptions => ({
  format: 'jsonl',
  raw: false,
  delimiter: ',',
  maxRecordBytes: 1000,
  ...more,
})

async function texts(content: string, more: Partial<ReaderOptions>): Promise<string[]> {
  const arena = new RecordArena(4)
  const reader = openReader(arena, [memorySource(content)], options(more))
  const found: string[] = []
  do {
    for (let record = reader.next(); record !== undefined; record = reader.next()) {
      found.push(arena.view(record).toString())
      arena.release(record)
    }
  } while (await reader.advance())
  return found
}

test('each format cuts its own way', async () => {
  expect(await texts('a\r\n\nb', { format: 'jsonl' })).toEqual(['a', 'b'])
  expect(await texts('a\r\n\nb', { format: 'lines' })).toEqual(['a', '', 'b'])
  expect(await texts('a\r\n\nb', { format: 'lines', raw: true })).toEqual(['a\r', '', 'b'])
  expect(await texts('a\n\0b', { format: 'nul' })).toEqual(['a\n', 'b'])
  expect(await texts('a;b\n1;2', { format: 'csv', delimiter: ';' })).toEqual(['{"a":"1","b":"2"}'])
})

test('records are counted without being kept', async () => {
  const content = `${'x'.repeat(60)}\n`.repeat(20_000)
  expect(await countRecords([memorySource(content), memorySource('y')], options({ format: 'lines' }))).toBe(20_001)
})
