import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CsvRow, CsvRows } from '../../../src/batch/input/csv-rows.js'

function rowsOf(text: string, cuts: readonly number[] = [], limit = 1000): CsvRow[] {
  const rows = new CsvRows(',', limit, 0)
  const found: CsvRow[] = []
  let from = 0
  for (const cut of [...cuts, text.length]) {
    if (cut > from) found.push(...rows.add(text.slice(from, cut)))
    from = Math.max(from, cut)
  }
  return [...found, ...rows.end()]
}

describe('rows of CSV', () => {
  test('end outside quotes only, with line and offset of their start', () => {
    const rows = rowsOf('a,"x\ny"\r\n\r\n"b ""q""",2\n3')
    expect(rows.map(({ text, line, offset }) => [text, line, offset])).toEqual([
      ['a,"x\ny"', 1, 0],
      ['', 3, 9],
      ['"b ""q""",2', 4, 11],
      ['3', 5, 23],
    ])
    expect(rows.every(({ fault }) => fault === undefined)).toBe(true)
  })

  test('are the same wherever the text is cut', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ') })
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 3 })), fc.array(fc.nat(40)), (table, cuts) => {
        const lines = table.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(','))
        const text = lines.map((line) => `${line}\n`).join('')
        const rows = rowsOf(
          text,
          [...cuts].sort((a, b) => a - b),
        )
        expect(rows.map((row) => row.text)).toEqual(lines)
        expect(rows.some(({ fault }) => fault !== undefined)).toBe(false)
        expect(rows).toEqual(rowsOf(text))
      }),
      { seed: 5 },
    )
  })

  test('with wrong quotes are faults that leave the next rows alone', () => {
    const rows = rowsOf('1,"x"y\n2,3\n4,x"y\n5,6\n')
    expect(rows.map(({ text, fault }) => [text, fault === undefined])).toEqual([
      ['1,"x"y', false],
      ['2,3', true],
      ['4,x"y', false],
      ['5,6', true],
    ])
  })

  test('with a quote that never closes are one fault', () => {
    const rows = rowsOf('1,2\n3,"open\n4,5\n')
    expect(rows).toHaveLength(2)
    expect(rows[1]?.fault).toContain('not closed')
  })

  test('past the limit are one fault, wherever the text is cut, and no line in their quotes is a row', () => {
    const text = `1,2\n"${'x'.repeat(50)}\n5,6\n${'y'.repeat(50)}","z\n""7,8\n"\r\n3,4\n`
    for (let cut = 0; cut < text.length; cut++) {
      const rows = rowsOf(text, [cut, cut + 1, cut + 30], 20)
      expect(rows.map(({ text, fault }) => [fault === undefined && text, fault?.includes('limit')])).toEqual([
        ['1,2', undefined],
        [false, true],
        ['3,4', undefined],
      ])
      expect(rows[2]).toMatchObject({ line: 7, offset: text.length - 4 })
    }
  })

  test('may be as long as the limit, with their line end behind it', () => {
    for (const cuts of [[], [5], [6]]) {
      const rows = rowsOf('12345\r\n123456\r\n', cuts, 5)
      expect(rows.map(({ fault }) => fault === undefined)).toEqual([true, false])
    }
  })
})
