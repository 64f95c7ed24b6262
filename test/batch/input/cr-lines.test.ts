import { expect, test } from 'vitest'
import { isCrLines } from '../../../src/batch/input/text-bytes.js'

test('lines that end with CR alone are told from one line, and from JSON with CR as white space', () => {
  const isText = (text: string) => isCrLines(Buffer.from(text), false)
  const isJson = (text: string) => isCrLines(Buffer.from(text), true)
  expect([isText('a\rb\r'), isText('a\rb'), isText('a\r'), isText('a'), isText('')]).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
  expect([isJson('1\r2\r'), isJson('{\r"a":1\r}'), isJson('1\r'), isJson('\r \r')]).toEqual([true, false, false, false])
})
