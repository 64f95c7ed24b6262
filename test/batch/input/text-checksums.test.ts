import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { TextChecksums } from '../../../src/batch/input/input-checksum.js'

const position = (input: number, offset: number) => ({ input, offset, records: 0 })

test('each input has its own checksum, from where its text starts', () => {
  const checksums = new TextChecksums(undefined)
  expect(checksums.agrees).toBe(true)
  checksums.update(0, 3, Buffer.from('abc'))
  checksums.update(1, 0, Buffer.from('de'))
  expect(checksums.at(position(0, 6))).toEqual({ offset: 6, crc: crc32('abc') })
  expect(checksums.at(position(1, 2))).toEqual({ offset: 2, crc: crc32('de') })
  expect(checksums.at(position(0, 6))).toBeUndefined()
})

test('what is expected of one input is not asked of the others', () => {
  const checksums = new TextChecksums({ input: 1, point: { offset: 2, crc: crc32('de') } })
  checksums.update(0, 0, Buffer.from('xxxxxx'))
  expect(checksums.agrees).toBeUndefined()
  checksums.update(1, 0, Buffer.from('def'))
  expect(checksums.agrees).toBe(true)
})
