import { expect, test } from 'vitest'
import { InputRecord, splitStretch } from '../../../src/batch/records/record.js'
import { RecordArena } from '../../../src/batch/records/record-arena.js'
import { StretchMemory, stretchMemoryBytes } from '../../../src/records/stretch-memory.js'

test('a stretch is split into its records, with their places, and gives its block up for theirs', async () => {
  const arena = new RecordArena(1)
  const memory = new StretchMemory(new SharedArrayBuffer(stretchMemoryBytes(1)), 10)
  const block = await arena.acquire()
  arena.bytes.write('{"i":1}\r\n \n\n{"i":22}\n', block)
  memory.place(0, 0, block, block + 7)
  memory.place(0, 1, block + 12, block + 20)
  const stretch = new InputRecord(arena.hold(block, 7), 3, 7, 100, 121, undefined, 2)
  stretch.seq = 40
  stretch.startedMs = 5
  const records = splitStretch(stretch, memory, 0, arena, 10)
  expect(records.map((record) => arena.view(record).toString())).toEqual(['{"i":1}', '{"i":22}'])
  expect(records).toMatchObject([
    { seq: 40, input: 3, line: 7, offset: 100, endOffset: 109, attempts: 1, startedMs: 5 },
    { seq: 41, input: 3, line: 10, offset: 112, endOffset: 121, attempts: 1, startedMs: 5 },
  ])
  arena.releaseAt(block)
  arena.release(records[0]!)
  expect(arena.freeBlocks).toBe(0)
  arena.release(records[1]!)
  expect(arena.freeBlocks).toBe(1)
})
