import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  STRETCH_RECORDS,
  STRETCH_RESULT_BYTES,
  StretchMemory,
  stretchMemoryBytes,
} from '../../src/records/stretch-memory.js'

function twoSides(slots = 3): { main: StretchMemory; worker: StretchMemory } {
  const memory = new SharedArrayBuffer(stretchMemoryBytes(slots))
  return { main: new StretchMemory(memory, 10), worker: new StretchMemory(memory, 10) }
}

test('lines come out as they went in, slot by slot', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: STRETCH_RECORDS }), fc.nat(2), (lines, slot) => {
      const { main, worker } = twoSides()
      main.open(slot)
      for (const [index, line] of lines.entries()) {
        expect(worker.write(slot, index, line)).toBe(true)
        expect(worker.pass(slot, index)).toBe(true)
      }
      expect(main.done(slot)).toBe(lines.length)
      expect(lines.map((_, index) => main.line(slot, index))).toEqual(lines.map((line) => Buffer.from(line).toString()))
    }),
    { seed: 3 },
  )
})

test('what does not fit, or is no line, is told apart and leaves the others alone', () => {
  const { main, worker } = twoSides()
  main.open(1)
  const lines = ['a', undefined, '', 'x'.repeat(STRETCH_RESULT_BYTES), 'ü', undefined, 'b']
  const kept = lines.map((line, index) => worker.write(1, index, line))
  expect(kept).toEqual([true, false, true, false, true, false, true])
  expect(lines.map((_, index) => main.line(1, index))).toEqual(['a', undefined, '', undefined, 'ü', undefined, 'b'])
  expect(twoSides(3).main.slots).toBe(3)
})

test('of a worker that goes on and a main thread that stops it exactly one gets its way, at every moment', () => {
  for (let at = 0; at <= 4; at++) {
    const { main, worker } = twoSides()
    main.open(0)
    for (let index = 0; index < at; index++) expect(worker.pass(0, index)).toBe(true)
    expect(main.revoke(0)).toBe(at)
    expect(main.revoke(0)).toBe(at)
    expect(worker.pass(0, at)).toBe(false)
    expect(main.done(0)).toBe(at)
    main.open(0)
    expect(main.done(0)).toBe(0)
  }
})

test('places are kept record by record, and lines that are there are one text whatever is missing between', () => {
  const { main, worker } = twoSides()
  for (let index = 0; index < STRETCH_RECORDS; index++) main.place(1, index, 50 * index, 50 * index + 40)
  main.place(2, 0, 7, 9)
  main.open(1)
  expect([worker.textStart(1, 0), worker.textEnd(1, 0)]).toEqual([0, 40])
  expect([worker.textStart(1, STRETCH_RECORDS - 1), worker.textEnd(1, STRETCH_RECORDS - 1)]).toEqual([51_150, 51_190])
  for (const [index, line] of ['a', undefined, '', 'ü'].entries()) worker.write(1, index, line)
  expect(main.lines(1, 4).toString()).toBe('a\n\nü\n')
  expect(main.lines(1, 2).toString()).toBe('a\n')
  expect(main.line(1, 2)).toBe('')
})
