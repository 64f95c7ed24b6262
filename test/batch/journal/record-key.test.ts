import { expect, test } from 'vitest'
import { ContentKeys, placeKey, readPointer } from '../../../src/batch/journal/record-key.js'
import { RecordArena } from '../../../src/batch/records/record-arena.js'
import { loneRecord, placedRecord } from '../scratch-folder.js'

test('a pointer is read as RFC 6901 says', () => {
  const value = { a: [{ 'b/c': 1, 'd~e': 2 }], '': 3 }
  expect(readPointer(value, '')).toBe(value)
  expect(readPointer(value, '/a/0/b~1c')).toBe(1)
  expect(readPointer(value, '/a/0/d~0e')).toBe(2)
  expect(readPointer(value, '/')).toBe(3)
  for (const pointer of ['/x', '/a/1', '/a/0/b~1c/z', '/toString']) expect(readPointer(value, pointer)).toBeUndefined()
})

test('equal keys are numbered, records without one have none', async () => {
  const arena = new RecordArena(8)
  const keys = new ContentKeys('/id', arena)
  const texts = ['{"id":"a"}', '{"id":1}', '{"id":"a"}', '{"id":{"x":1}}', '{}', '{broken']
  const found: unknown[] = []
  for (const text of texts) found.push(keys.keyOf(await placedRecord(arena, text)))
  expect(found).toEqual(['a', '1', 'a\t1', '{"x":1}', undefined, undefined])
  expect(keys.keyOf(loneRecord(0))).toBeUndefined()
})

test('a place key changes with place and text', async () => {
  const arena = new RecordArena(4)
  const one = placeKey(await placedRecord(arena, 'text', 0), arena)
  expect(placeKey(await placedRecord(arena, 'text', 0), arena)).toBe(one)
  expect(placeKey(await placedRecord(arena, 'tent', 0), arena)).not.toBe(one)
  expect(placeKey(await placedRecord(arena, 'text', 1), arena)).not.toBe(one)
})
