import { expect, test } from 'vitest'
import { SeparatorLine } from '../../../src/batch/input/csv-head.js'

/** What the line names, its length, and the text behind it, whatever pieces the text comes in. */
function readIn(text: string, pieceLength: number): [string | undefined, number, string] {
  const line = new SeparatorLine()
  let rest = ''
  for (let at = 0; at < text.length; at += pieceLength) rest += line.take(text.slice(at, at + pieceLength), false)
  rest += line.take('', true)
  return [line.delimiter, line.lengthBytes, rest]
}

test.each<[string, [string | undefined, number, string]]>([
  ['sep=;\na;b\n', [';', 6, 'a;b\n']],
  ['sep=\t\r\na\tb\n', ['\t', 7, 'a\tb\n']],
  ['sep=;', [';', 5, '']],
  ['"sep=;"\r\na;b\n', [';', 9, 'a;b\n']],
  ['"sep=;\n', [undefined, 0, '"sep=;\n']],
  ['sep=;;\n1\n', [undefined, 0, 'sep=;;\n1\n']],
  ['sep\n1\n', [undefined, 0, 'sep\n1\n']],
  ['se', [undefined, 0, 'se']],
  ['a;b\n', [undefined, 0, 'a;b\n']],
  ['', [undefined, 0, '']],
])('%j is read by its first line', (text, expected) => {
  for (const length of [1, 2, 3, 100]) expect(readIn(text, length)).toEqual(expected)
})
