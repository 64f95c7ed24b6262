import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BLOCK_SIZE_BYTES } from '../../../src/records/record-transfer.js'
import { StretchMemory, stretchMemoryBytes } from '../../../src/records/stretch-memory.js'
import { stretchText } from '../../../workers/tasks/stretch-text.js'

const arena = Buffer.from(new SharedArrayBuffer(2 * BLOCK_SIZE_BYTES))

function placed(parts: readonly Buffer[], gap = 1, at = 0): StretchMemory {
  const memory = new StretchMemory(new SharedArrayBuffer(stretchMemoryBytes(1)), 10)
  let start = at
  for (const [index, part] of parts.entries()) {
    part.copy(arena, start)
    memory.place(0, index, start, start + part.length)
    start += part.length + gap
  }
  return memory
}

test('pieces of the whole text are the records as each is decoded by itself; other bytes than ASCII are refused', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 2, maxLength: 40, max: 140 }), { minLength: 1 }), (arrays) => {
      const parts = arrays.map((bytes) => Buffer.from(bytes))
      const memory = placed(parts)
      arena.fill(10, memory.textEnd(0, parts.length - 1))
      for (let index = 0; index + 1 < parts.length; index++) arena[memory.textEnd(0, index)] = 10
      const text = stretchText(arena, memory, 0, parts.length)
      if (parts.some((part) => part.some((byte) => byte > 127))) {
        expect(text).toBeUndefined()
        return
      }
      const pieces = parts.map((_, index) => text?.slice(memory.textStart(0, index), memory.textEnd(0, index)))
      expect(pieces).toEqual(parts.map((part) => part.toString('utf8')))
    }),
    { seed: 5 },
  )
})

test('records of two blocks, or far apart, are read one by one', () => {
  const two = [Buffer.from('one'), Buffer.from('two')]
  expect(stretchText(arena, placed(two, 1, BLOCK_SIZE_BYTES - 4), 0, 2)).toBeUndefined()
  expect(stretchText(arena, placed(two, 7), 0, 2)).toBeUndefined()
  arena.fill(10)
  expect(stretchText(arena, placed(two, 5, BLOCK_SIZE_BYTES), 0, 2)).toBe('one\n\n\n\n\ntwo')
  expect(stretchText(arena, placed(two, 1, BLOCK_SIZE_BYTES - 7), 0, 2)).toBe('one\ntwo')
})
