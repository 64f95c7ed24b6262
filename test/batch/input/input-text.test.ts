import { expect, test } from 'vitest'
import { ForeignEncodingError } from '../../../src/batch/input/input-format.js'
import { InputText } from '../../../src/batch/input/input-list.js'
import { memorySource } from '../scratch-folder.js'

async function read(bytes: Buffer): Promise<{ text: string; input: InputText }> {
  const input = new InputText(memorySource(bytes, [1, 2, 3]), 10)
  let text = ''
  for await (const chunk of input.chunks()) text += chunk.toString('latin1')
  return { text, input }
}

test('a byte order mark is taken off once, at the start', async () => {
  const { text, input } = await read(Buffer.from('\ufeff\ufeffa'))
  expect(Buffer.from(text, 'latin1').toString()).toBe('\ufeffa')
  expect(input.skippedBytes).toBe(3)
  expect(input.bytesRead).toBe(7)
})

test('other encodings are named', async () => {
  for (const [name, bytes] of [
    ['UTF-16LE', Buffer.from('\ufeffab', 'utf16le')],
    ['UTF-16BE', Buffer.from('\ufeffab', 'utf16le').swap16()],
    ['UTF-32LE', Buffer.from([0xff, 0xfe, 0, 0, 97, 0, 0, 0])],
    ['UTF-32BE', Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 97])],
  ] as const) {
    await expect(read(bytes)).rejects.toThrow(ForeignEncodingError)
    await expect(read(bytes)).rejects.toThrow(name)
  }
})

test('a fault of the source carries the name of the input', async () => {
  const source = {
    ...memorySource('', [], 'broken.txt'),
    async *chunks(): AsyncGenerator<Buffer> {
      yield Buffer.from('abcdefgh')
      throw new Error('disk on fire')
    },
  }
  const drain = async (): Promise<void> => {
    for await (const chunk of new InputText(source, 10).chunks()) expect(chunk.length).toBeGreaterThan(0)
  }
  await expect(drain()).rejects.toMatchObject({
    code: 'EVENKEEL_BATCH_INPUT',
    input: 'broken.txt',
    message: 'cannot read broken.txt to its end: disk on fire',
  })
})
