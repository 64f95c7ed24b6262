import { utimesSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fileSource } from '../../../src/batch/input/byte-source.js'
import { inputDifference, inputPrint } from '../../../src/batch/journal/journal-session.js'
import { memorySource, scratchFolder } from '../scratch-folder.js'

test('size and beginning tell files apart, a time stamp or a name does not', async () => {
  const folder = scratchFolder()
  const print = async (name: string, content: string | Buffer) =>
    inputPrint(await fileSource(folder.write(name, content)))
  const before = await print('a', 'some text')
  const same = await print('b', 'some text')
  utimesSync(folder.path('b'), 1, 1)
  expect(inputDifference([before], [same])).toBeUndefined()
  const paths = (name: string) => folder.path(name)
  const other = `the input was ${paths('a')} of 9 bytes, and is ${paths('c')} of 10 bytes now`
  expect(inputDifference([before], [await print('c', 'some texts')])).toBe(other)
  expect(inputDifference([before], [await print('d', 'same text')])).toContain(`is ${paths('d')} of 9 bytes now`)
  expect(inputDifference([before], [await print('a', 'same text')])).toBe(`the beginning of ${paths('a')} has changed`)
  expect(inputDifference([before], [before, before])).toContain('1 inputs, now there are 2')
})

test('only the first MiB is looked at', async () => {
  const folder = scratchFolder()
  const head = 'x'.repeat(2 ** 20)
  const one = await inputPrint(await fileSource(folder.write('a', `${head}1`)))
  const other = await inputPrint(await fileSource(folder.write('b', `${head}2`)))
  expect(one.headSha256).toBe(other.headSha256)
})

test('a stream has only its name', async () => {
  expect(await inputPrint({ ...memorySource(''), sizeBytes: undefined })).toEqual({ path: 'memory' })
})
