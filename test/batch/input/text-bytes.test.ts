import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteSearch } from '../../../src/batch/input/text-bytes.js'

test('a byte is found where it is, from any place, however the chunk lies in its memory', () => {
  const bytes = fc.array(fc.constantFrom(0, 1, 9, 10, 11, 0x8a, 0xff, 0x7f, 0x80), { maxLength: 40 })
  fc.assert(
    fc.property(bytes, fc.nat(9), fc.nat(9), fc.constantFrom(0, 10, 0xff), (all, skipped, cut, byte) => {
      const chunk = Buffer.from(new Uint8Array(all).buffer).subarray(skipped, all.length - cut)
      const search = new ByteSearch(byte)
      search.enter(chunk)
      for (let from = 0; from <= chunk.length; from++) {
        const index = chunk.indexOf(byte, from)
        expect(search.next(from)).toBe(index < 0 || from === chunk.length ? chunk.length : index)
      }
    }),
    { numRuns: 1000, seed: 13 },
  )
})
