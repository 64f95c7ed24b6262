import { expect, test } from 'vitest'
import { recordCodec, resolveCodecOptions } from '../../../src/batch/options/codec-options.js'
import { checkCodecOptions } from '../../../src/batch/options/map-options.js'

test('the codec follows from the options', () => {
  expect(recordCodec({})).toEqual({ decoding: 'json', encoding: 'json', grouped: false, timed: false, separator: 10 })
  expect(recordCodec({ format: 'lines' })).toMatchObject({ decoding: 'text', encoding: 'text' })
  expect(recordCodec({ raw: true, envelope: true })).toMatchObject({ decoding: 'text', encoding: 'json', timed: true })
  expect(recordCodec({ format: 'csv', output: 'text' })).toMatchObject({ decoding: 'json', encoding: 'text' })
  expect(recordCodec({ groupSize: 2, timeout: { medians: 2 } })).toMatchObject({ grouped: true, timed: true })
})

test('only NUL-separated text is written with NUL', () => {
  expect(recordCodec({ format: 'nul' }).separator).toBe(0)
  expect(recordCodec({ format: 'nul', raw: true }).separator).toBe(0)
  for (const more of [{ output: 'jsonl' }, { envelope: true }] as const) {
    expect(recordCodec({ format: 'nul', ...more }).separator).toBe(10)
  }
})

test.each([
  [{ format: 'xml' }, 'codec.format'],
  [{ raw: 1 }, 'codec.raw'],
  [{ output: 'csv' }, 'codec.output'],
  [{ groupSize: 0 }, 'codec.groupSize'],
  [{ timeout: {} }, 'codec.timeout'],
  [{ timeout: { ms: 'x' } }, 'codec.timeout.ms'],
  [{ timeout: { minutes: 1 } }, 'codec.timeout.minutes'],
  [{ formt: 'lines' }, 'codec.formt'],
])('%j is refused by name', (codec, option) => {
  expect(() => resolveCodecOptions(codec)).toThrow(expect.objectContaining({ code: 'EVENKEEL_INVALID_OPTION', option }))
})

test('a run checks the same options, among its others', () => {
  expect(() => checkCodecOptions({ raw: 'yes' as never })).toThrow(expect.objectContaining({ option: 'raw' }))
})
