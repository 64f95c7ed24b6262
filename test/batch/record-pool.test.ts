import { expect, onTestFinished, test } from 'vitest'
import { BLOCK_SIZE_BYTES } from '../../src/base/record-transfer.js'
import { mapFile } from '../../src/batch/map-file.js'
import { RecordPool, recordCodec } from '../../src/batch/record-pool.js'
import { scratchFolder } from './scratch-folder.js'

function pool(folder: ReturnType<typeof scratchFolder>, source: string, codec = {}): RecordPool {
  const module = `file://${folder.write('tasks.mjs', source)}`
  const made = new RecordPool({ module, codec, dispatcher: { workers: 1 } })
  onTestFinished(() => made.dispatcher.close({ force: true }))
  return made
}

test('records of every size reach the task through shared memory and come back', async () => {
  const folder = scratchFolder()
  const records = pool(folder, 'export default ({ text }) => text.length')
  const sizes = [0, 10, BLOCK_SIZE_BYTES, 3 * BLOCK_SIZE_BYTES, 1]
  const input = folder.write('in', sizes.map((size) => `{"text":"${'ü'.repeat(size)}"}\n`).join(''))
  const run = await mapFile(records, { in: input, out: folder.path('out') })
  expect(await run.done).toMatchObject({ ok: 5, failed: 0 })
  expect(folder.read('out')).toBe(sizes.map((size) => `${size}\n`).join(''))
})

test('setup and kinds of the module are honoured', async () => {
  const folder = scratchFolder()
  const records = pool(
    folder,
    `export const kinds = { sum: 'io' }
     let running = 0, most = 0, base
     export function setup() { base = 100 }
     export async function sum(i) {
       most = Math.max(most, ++running)
       await new Promise((done) => setTimeout(done, 20))
       running--
       return { value: base + i, most }
     }`,
  )
  const input = folder.write('in', '1\n2\n3\n4\n')
  await (await mapFile(records, { in: input, out: folder.path('out') })).done
  const lines = folder
    .read('out')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ value }) => value)).toEqual([101, 102, 103, 104])
  expect(Math.max(...lines.map(({ most }) => most))).toBeGreaterThan(1)
})

test('the formats of pool and run must agree', async () => {
  const folder = scratchFolder()
  const records = pool(folder, 'export default (x) => x', { format: 'lines' })
  const given = { in: folder.write('in', 'a\n'), out: folder.path('out') }
  await expect(mapFile(records, { ...given, format: 'jsonl' })).rejects.toMatchObject({ code: 'EVENKEEL_BATCH_USAGE' })
  expect((await (await mapFile(records, { ...given, format: 'lines' })).done).ok).toBe(1)
})

test('the codec follows from the options', () => {
  expect(recordCodec({})).toEqual({ decoding: 'json', encoding: 'json', grouped: false, timed: false })
  expect(recordCodec({ format: 'lines' })).toMatchObject({ decoding: 'text', encoding: 'text' })
  expect(recordCodec({ raw: true, envelope: true })).toMatchObject({ decoding: 'text', encoding: 'json', timed: true })
  expect(recordCodec({ format: 'csv', output: 'text' })).toMatchObject({ decoding: 'json', encoding: 'text' })
  expect(recordCodec({ groupSize: 2, timeout: { medians: 2 } })).toMatchObject({ grouped: true, timed: true })
})
