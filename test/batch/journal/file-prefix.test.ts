import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { FilePrefix } from '../../../src/batch/journal/journal-state.js'
import { scratchFolder } from '../scratch-folder.js'

test('checksums are told of what lies before rising places, as far as the file reaches', async () => {
  const folder = scratchFolder()
  const bytes = Buffer.alloc(3 * 2 ** 20 + 5, 'abcdefg')
  const prefix = await FilePrefix.open(folder.write('file', bytes))
  for (const offset of [0, 7, 7, 2 ** 20, bytes.length]) {
    expect(await prefix.crcAt(offset)).toBe(crc32(bytes.subarray(0, offset)))
  }
  expect(await prefix.crcAt(bytes.length + 1)).toBeUndefined()
  expect(await prefix.crcAt(3)).toBeUndefined()
  await prefix.close()
})

test('a file that is not there has no bytes; one that cannot be read is an error', async () => {
  const folder = scratchFolder()
  const none = await FilePrefix.open(folder.path('none'))
  expect([await none.crcAt(0), await none.crcAt(1)]).toEqual([0, undefined])
  await none.close()
  folder.write('file', '')
  await expect(FilePrefix.open(folder.path('file/below'))).rejects.toMatchObject({ code: 'EVENKEEL_BATCH_OUTPUT' })
})
