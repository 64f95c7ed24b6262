import { expect, test } from 'vitest'
import { isWhiteSpace } from '../../../src/batch/input/text-bytes.js'

test('white space is that of JSON, and looked for between two places only', () => {
  const white = Buffer.from(' \t\r\n')
  expect(isWhiteSpace(white, 0, 4)).toBe(true)
  expect(isWhiteSpace(white, 2, 2)).toBe(true)
  for (const text of ['a', '\0', '\ufeff', '\u00a0', '\v', '\f']) {
    const bytes = Buffer.from(` ${text} `)
    expect(isWhiteSpace(bytes, 0, bytes.length)).toBe(false)
    expect(isWhiteSpace(bytes, 0, 1)).toBe(true)
  }
})
