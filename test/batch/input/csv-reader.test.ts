import { describe, expect, test } from 'vitest'
import { CsvReader } from '../../../src/batch/input/csv-reader.js'
import { RecordArena } from '../../../src/batch/records/record-arena.js'
import { memorySource } from '../scratch-folder.js'

async function read(texts: readonly (string | Buffer)[], delimiter = ',', cuts: readonly number[] = []) {
  const arena = new RecordArena(3)
  const sources = texts.map((text, index) => memorySource(text, cuts, `file-${index}`))
  const reader = new CsvReader(arena, sources, { delimiter, maxRecordBytes: 1000 })
  const seen: { value: unknown; fault: string | undefined; line: number; offset: number; endOffset: number }[] = []
  try {
    do {
      for (let record = reader.next(); record !== undefined; record = reader.next()) {
        const { fault, line, offset, endOffset } = record
        const value = fault === undefined ? JSON.parse(arena.view(record).toString()) : undefined
        seen.push({ value, fault, line, offset, endOffset })
        arena.release(record)
      }
    } while (await reader.advance())
  } finally {
    await reader.close()
  }
  expect(arena.freeBlocks).toBe(3)
  return seen
}

describe('CSV', () => {
  const text = '\ufeff"id","no\nte",x\r\n1,"a, ""b""\r\nc",\r\n2,,\nü,1,2,3\n3,"unclosed\n'

  test('gives an object for each row, with its place, however the bytes arrive', async () => {
    const whole = await read([text])
    expect(whole.map(({ value, line, offset }) => [value, line, offset])).toEqual([
      [{ id: '1', 'no\nte': 'a, "b"\r\nc', x: '' }, 3, 19],
      [{ id: '2', 'no\nte': '', x: '' }, 5, 37],
      [undefined, 6, 41],
      [undefined, 7, 50],
    ])
    expect(whole[2]?.fault).toContain('4 fields')
    expect(whole[3]?.fault).toContain('not closed')
    expect(whole[3]?.endOffset).toBe(Buffer.byteLength(text))
    for (let cut = 1; cut < Buffer.byteLength(text); cut++)
      expect(await read([text], ',', [cut, cut + 2])).toEqual(whole)
  })

  test('decodes UTF-8 strictly', async () => {
    const seen = await read([Buffer.concat([Buffer.from('ä\nö\n'), Buffer.from([0xff, 0x0a]), Buffer.from('ü\n')])])
    expect(seen.map(({ value }) => value)).toEqual([{ ä: 'ö' }, undefined, { ä: 'ü' }])
    expect(seen[1]?.fault).toContain('UTF-8')
  })

  test('may have more rows in a chunk than a call has arguments', async () => {
    expect(await read([`a\n${'1\n'.repeat(130_000)}`])).toHaveLength(130_000)
  })

  test('takes other separators, and a header for each file', async () => {
    const seen = await read(['a\tb\n1\t2\n', 'c\n3'], '\t')
    expect(seen.map(({ value }) => value)).toEqual([{ a: '1', b: '2' }, { c: '3' }])
  })

  test('keeps a column named __proto__', async () => {
    expect(JSON.stringify((await read(['__proto__,b\n1,2\n']))[0]?.value)).toBe('{"__proto__":"1","b":"2"}')
  })

  test('takes an empty line for a value where there is one column, and passes it over where there are more', async () => {
    const one = await read(['\na\n1\n\n2\r\n\r\n3'])
    expect(one.map(({ value, line }) => [value, line])).toEqual([
      [{ a: '1' }, 3],
      [{ a: '' }, 4],
      [{ a: '2' }, 5],
      [{ a: '' }, 6],
      [{ a: '3' }, 7],
    ])
    expect((await read(['a,b\n1,2\n\n3,4\n'])).map(({ value }) => value)).toEqual([
      { a: '1', b: '2' },
      { a: '3', b: '4' },
    ])
  })

  test('reads the delimiter from a first line sep=, with all places as in the file', async () => {
    const text = '\ufeffsep=;\r\na;b\r\n1;2\r\n'
    const expected = [expect.objectContaining({ value: { a: '1', b: '2' }, line: 3, offset: 15, endOffset: 20 })]
    for (let cut = 1; cut < text.length; cut++) expect(await read([text], ',', [cut])).toEqual(expected)
    expect(await read([text], ';')).toEqual(expected)
    await expect(read([text], '|')).rejects.toThrow("it names ';' as its delimiter, not '|'")
    // Each file has its own.
    expect((await read([text, 'a,b\n1,2\n'])).map(({ value }) => value)).toEqual([
      { a: '1', b: '2' },
      { a: '1', b: '2' },
    ])
  })

  test('whose lines end with CR alone is refused by that name, however long or quoted', async () => {
    for (const text of ['a,b\r1,2\r3,4\r', '"a",b\r1,2\r', 'a\r1', `a\r${'1\r'.repeat(2000)}`, 'a,b\r1,2\r\n3,4\r\n']) {
      await expect(read([text])).rejects.toThrow('its lines end with a carriage return alone')
    }
    const seen = await read(['a,b\n"x\ry",1\n2\r,3\n4,5\r\n'])
    expect(seen.map(({ value, fault }) => fault ?? value)).toEqual([
      { a: 'x\ry', b: '1' },
      'a carriage return stands alone outside quotes',
      { a: '4', b: '5' },
    ])
  })

  test('refuses a header that cannot be used', async () => {
    await expect(read(['a,a\n1,2\n'])).rejects.toThrow("column 'a' appears twice")
    await expect(read(['a,"b\n1,2\n'])).rejects.toThrow('header')
  })

  test('of nothing is nothing', async () => {
    expect(await read(['', 'a,b\n', '\n\n'])).toEqual([])
  })
})
