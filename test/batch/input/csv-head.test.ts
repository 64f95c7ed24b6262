import { describe, expect, test } from 'vitest'
import { CsvHeader } from '../../../src/batch/input/csv-head.js'

const same = (field: string): string => field

describe('a header', () => {
  test('names the fields of a row', () => {
    const header = new CsvHeader(['a', '__proto__'])
    expect(header.faultOf(['1', '2'])).toBeUndefined()
    expect(header.json(['1', '2'], same)).toBe('{"a":"1","__proto__":"2"}')
    expect(header.faultOf(['1'])).toBe('row has 1 fields, the header has 2')
    expect(header.faultOf(['1', '2', ''])).toBe('row has 3 fields, the header has 2')
  })

  test('may end with columns without a name, as long as nothing is in them', () => {
    const header = new CsvHeader(['a', 'b', '', ''])
    for (const fields of [
      ['1', '2'],
      ['1', '2', ''],
      ['1', '2', '', ''],
    ]) {
      expect(header.faultOf(fields)).toBeUndefined()
      expect(header.json(fields, same)).toBe('{"a":"1","b":"2"}')
    }
    expect(header.faultOf(['1', '2', '', 'x'])).toBe('row has a value in column 4, which has no name')
    expect(header.faultOf(['1'])).toContain('1 fields')
    expect(header.faultOf(['1', '2', '', '', ''])).toContain('5 fields')
  })

  test('may begin with one, and must not name two alike', () => {
    expect(new CsvHeader(['', 'a']).json(['0', '1'], same)).toBe('{"":"0","a":"1"}')
    expect(() => new CsvHeader(['a', 'b', 'a'])).toThrow("column 'a' appears twice")
    expect(() => new CsvHeader(['', '', 'a'])).toThrow("column '' appears twice")
  })

  test('of one column makes a row of an empty line', () => {
    expect([['a'], [''], ['a', ''], ['a', 'b']].map((names) => new CsvHeader(names).hasOneColumn)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})
