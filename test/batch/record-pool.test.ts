import { expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../src/base/random.js'
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

test('records that go in whole stretches end as they do one by one, bad, failing and odd ones too', {
  timeout: 60_000,
}, async () => {
  const folder = scratchFolder()
  const module = `export default function task(value) {
    if (value === 7) throw new RangeError('seven')
    if (value === 8) return Promise.resolve('later')
    if (value === 9) return 'x'.repeat(300_000)
    if (value === 10) throw null
    if (value === 11) return undefined
    return value
  }`
  const odd = [
    '7',
    '8',
    '9',
    '10',
    '11',
    '',
    ' \t',
    '\r',
    ' {"padded":true} \r',
    '{bad',
    '1,2',
    '[1',
    '2]',
    '"\\ud800"',
    '"ü€😀"',
    '1e999',
    '12345678901234567890',
    '{"a":"12345678901234567890"}',
    '1700000000000000',
    '"a\u2028b"',
    '\ufeff1',
    '"\0"',
    'x'.repeat(3000),
  ]
  const random = seededRandom(7)
  const lines: Buffer[] = []
  for (let at = 0; at < 120_000; at++) {
    // Long runs without anything odd, and places where odd ones come close together.
    const isOdd = random() < (at % 20_000 < 2000 ? 0.05 : 0.0002)
    const text = isOdd ? odd[Math.floor(random() * odd.length)]! : `{"i":${at},"s":"${at % 3000 === 0 ? 'ü' : 'u'}"}`
    lines.push(
      Buffer.from(isOdd && random() < 0.05 ? `"\xff${text}"` : text, isOdd && random() < 0.1 ? 'latin1' : 'utf8'),
    )
    lines.push(Buffer.from(random() < 0.01 ? '\r\n' : '\n'))
  }
  const input = folder.write('in', Buffer.concat(lines))
  const ends: Record<string, unknown>[] = []
  for (const [name, more] of [
    ['whole', {}],
    ['single', { limit: 1_000_000 }],
  ] as const) {
    const records = pool(folder, module)
    const [out, errors] = [folder.path(`${name}.out`), folder.path(`${name}.errors`)]
    const run = await mapFile(records, { in: input, out, errors, journal: false, maxRecordBytes: 2000, ...more })
    const warnings: string[] = []
    run.on('warning', (message) => warnings.push(message))
    const { elapsedMs: _, ...summary } = await run.done
    // Where it was called from is the one thing that differs.
    const failed = folder.read(`${name}.errors`).replaceAll(/,"stack":"[^"]*"/g, '')
    ends.push({ ...summary, out: folder.read(`${name}.out`), failed, warnings: warnings.sort() })
  }
  expect(ends[0]!.failed).toContain('seven')
  expect(ends[0]!.ok).toBeGreaterThan(110_000)
  expect(ends[0]!.out === ends[1]!.out).toBe(true)
  expect({ ...ends[0], out: '' }).toEqual({ ...ends[1], out: '' })
})

test.each([
  ['a slow setup', 'export const setup = () => new Promise((done) => setTimeout(done, 500))', {}],
  ['groups', '', { groupSize: 2 }],
])('no more records start in a slice of time than the rate says: %s', async (_what, setup, codec) => {
  const folder = scratchFolder()
  const now = 'performance.timeOrigin + performance.now()'
  const source = `${setup}
    export default (x) => Array.isArray(x) ? x.map(() => ${now}) : ${now}`
  const input = folder.write('in', '1\n'.repeat(20))
  const run = await mapFile(pool(folder, source, codec), {
    in: input,
    out: folder.path('out'),
    perSecond: 40,
    ...codec,
  })
  expect((await run.done).ok).toBe(20)
  const starts = folder.read('out').trim().split('\n').map(Number)
  starts.sort((a, b) => a - b)
  // Four in a tenth of a second; clocks of two threads may differ by 1 ms.
  for (const [at, start] of starts.slice(4).entries()) expect(start - starts[at]!).toBeGreaterThanOrEqual(99)
})
