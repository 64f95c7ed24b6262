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

test('a byte that lies far behind is found, too, or that there is none', () => {
  const search = new ByteSearch(10)
  for (const length of [0, 60, 64, 68, 127, 128, 129, 500, 5000]) {
    for (const start of [0, 1, 2, 3]) {
      const chunk = Buffer.alloc(start + length + 3, 'x').subarray(start)
      search.enter(chunk)
      expect(search.next(0)).toBe(chunk.length)
      chunk[length] = 10
      expect([search.next(0), search.next(length), search.next(length + 1)]).toEqual([length, length, chunk.length])
    }
  }
})
