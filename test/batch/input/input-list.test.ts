import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { InputList } from '../../../src/batch/input/input-list.js'
import { memorySource } from '../scratch-folder.js'

test('inputs follow one another, each with an end of its own', async () => {
  const list = new InputList([memorySource('ab', [1]), memorySource(''), memorySource('\ufeffc')], 10)
  const seen: string[] = []
  for (let step = await list.next(); step !== undefined; step = await list.next()) {
    seen.push(`${list.index}:${step.type === 'bytes' ? step.bytes : step.type}`)
  }
  expect(seen.join(' ').replaceAll('0:a 0:b', '0:ab')).toBe('0:ab 0:end 1:end 2:c 2:end')
})

test('an input in a foreign encoding is told apart and the next one read', async () => {
  const list = new InputList([memorySource(Buffer.from('\ufeffa', 'utf16le')), memorySource('b')], 10)
  expect(await list.next()).toMatchObject({ type: 'foreign' })
  expect(await list.next()).toMatchObject({ type: 'bytes' })
})

test('unused text counts in proportion, of a compressed input too', async () => {
  const bytes = gzipSync(Buffer.alloc(1000, 'ab'))
  const list = new InputList([memorySource(bytes), memorySource('x'.repeat(10))], 10)
  expect(list.bytesUsed(0)).toBe(0)
  await list.next()
  expect(list.bytesUsed(1000)).toBeCloseTo(0, 6)
  expect(list.bytesUsed(500)).toBeCloseTo(bytes.length / 2, 6)
  await list.next()
  await list.next()
  expect(list.bytesUsed(4)).toBeCloseTo(bytes.length + 6, 6)
})
