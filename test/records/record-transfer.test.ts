import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressLength, addressStart, BLOCK_SIZE_BYTES, recordAddress } from '../../src/records/record-transfer.js'

test('place and length of a record come back from one safe integer', () => {
  const start = fc.integer({ min: 0, max: 2 ** 26 - 1 })
  const length = fc.integer({ min: 0, max: BLOCK_SIZE_BYTES })
  fc.assert(
    fc.property(start, length, (startByte, lengthBytes) => {
      const address = recordAddress(startByte, lengthBytes)
      expect(Number.isSafeInteger(address)).toBe(true)
      expect([addressStart(address), addressLength(address)]).toEqual([startByte, lengthBytes])
    }),
  )
})
