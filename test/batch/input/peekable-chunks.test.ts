import { expect, test } from 'vitest'
import { PeekableChunks } from '../../../src/batch/input/peekable-chunks.js'

/** Reuses its memory for every chunk, as the file source does for every other one. */
async function* reusing(texts: readonly string[]): AsyncGenerator<Buffer> {
  const memory = Buffer.alloc(64)
  for (const text of texts) yield memory.subarray(0, memory.write(text))
}

test('bytes are looked at and taken across chunks whose memory is reused', async () => {
  const chunks = new PeekableChunks(reusing(['ab', 'cd', 'ef', 'gh']))
  expect((await chunks.peek(5)).toString()).toBe('abcde')
  expect((await chunks.take(3)).toString()).toBe('abc')
  expect((await chunks.next())?.toString()).toBe('def')
  chunks.putBack(Buffer.from('f'))
  let rest = ''
  for await (const chunk of chunks.rest()) rest += chunk
  expect(rest).toBe('fgh')
  expect(await chunks.peek(1)).toHaveLength(0)
})

test('taking or skipping past the end fails', async () => {
  await expect(new PeekableChunks(reusing(['ab'])).take(3)).rejects.toThrow('unexpected end')
  await expect(new PeekableChunks(reusing(['ab'])).skipPast(0)).rejects.toThrow('unexpected end')
  const chunks = new PeekableChunks(reusing(['ab', 'c\0d']))
  await chunks.skipPast(0)
  expect((await chunks.next())?.toString()).toBe('d')
})

test('closing ends the source', async () => {
  let closed = false
  async function* source(): AsyncGenerator<Buffer> {
    try {
      yield Buffer.from('a')
      yield Buffer.from('b')
    } finally {
      closed = true
    }
  }
  const chunks = new PeekableChunks(source())
  await chunks.next()
  await chunks.close()
  expect(closed).toBe(true)
})
