import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../src/base/random.js'
import type { BatchRun } from '../../src/batch/batch-run.js'
import { mapFile } from '../../src/batch/map-file.js'
import type { MapFileOptions } from '../../src/batch/options/map-options.js'
import { RecordPool } from '../../src/batch/record-pool.js'
import { BLOCK_SIZE_BYTES } from '../../src/records/record-transfer.js'
import { scratchFolder } from './scratch-folder.js'

type Folder = ReturnType<typeof scratchFolder>

function pool(folder: Folder, source: string, codec = {}, workers = 1): RecordPool {
  const module = `file://${folder.write('tasks.mjs', source)}`
  const made = new RecordPool({ module, codec, dispatcher: { workers } })
  onTestFinished(() => made.close({ force: true }))
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

/** Lines `{"run":name,"i":0}` and so on, and what they become by `export default (x) => x`. */
function linesOf(name: string, count: number): string {
  return Array.from({ length: count }, (_, i) => `{"run":"${name}","i":${i}}\n`).join('')
}

function start(
  records: RecordPool,
  folder: Folder,
  name: string,
  more: Partial<MapFileOptions> = {},
): Promise<BatchRun> {
  return mapFile(records, { in: folder.path(name), out: folder.path(`${name}.out`), ...more })
}

describe('runs at once on one pool', () => {
  test('are exact, each to the byte, whatever way their records go', { timeout: 60_000 }, async () => {
    const folder = scratchFolder()
    const records = pool(folder, 'export default (x) => x', {}, 2)
    const kinds: [string, Partial<MapFileOptions>][] = [
      ['whole', {}],
      ['unordered', { keepOrder: false, journal: false }],
      ['single', { limit: 1_000_000 }],
    ]
    const texts = kinds.map(([name]) => linesOf(name, 60_000))
    for (const [at, [name]] of kinds.entries()) folder.write(name, texts[at]!)
    const runs = await Promise.all(kinds.map(([name, more]) => start(records, folder, name, more)))
    for (const { ok, failed } of await Promise.all(runs.map(({ done }) => done))) {
      expect([ok, failed]).toEqual([60_000, 0])
    }
    for (const [at, [name]] of kinds.entries()) {
      const sorted = (text: string): string => (name === 'unordered' ? text.split('\n').sort().join('\n') : text)
      expect(sorted(folder.read(`${name}.out`)) === sorted(texts[at]!)).toBe(true)
    }
  })

  test('go on when one of them is stopped, and nothing of it lands in the others', { timeout: 60_000 }, async () => {
    const folder = scratchFolder()
    const source = `export default (x) => {
      if (x.i === 40_000 && x.run === 'stopped') { const end = Date.now() + 400; while (Date.now() < end); }
      return x
    }`
    const records = pool(folder, source, {}, 2)
    const text = linesOf('going', 200_000)
    folder.write('going', text)
    folder.write('stopped', linesOf('stopped', 100_000))
    const going = await start(records, folder, 'going')
    for (let round = 0; round < 3; round++) {
      const stopped = await start(records, folder, 'stopped', { force: true, journal: false })
      while (stopped.progress().ok < 20_000) await new Promise((done) => setTimeout(done, 1))
      stopped.stop('now')
      const { ok, failed } = await stopped.done
      expect([ok < 100_000, failed]).toEqual([true, 0])
      const written = folder.read('stopped.out')
      expect(linesOf('stopped', 100_000).startsWith(written)).toBe(true)
    }
    expect(await going.done).toMatchObject({ ok: 200_000, failed: 0, stopped: undefined })
    expect(folder.read('going.out') === text).toBe(true)
    // All slots and blocks are back: a further run goes in stretches, to the end.
    folder.write('later', linesOf('later', 50_000))
    expect((await (await start(records, folder, 'later')).done).ok).toBe(50_000)
    expect(folder.read('later.out') === linesOf('later', 50_000)).toBe(true)
  })

  test('do not starve behind one whose record holds its blocks and slots', { timeout: 60_000 }, async () => {
    const folder = scratchFolder()
    // The first record of the slow run blocks; behind it records fail, whose texts are kept until it ends.
    const source = `import { existsSync } from 'node:fs'
    export default async (x) => {
      if (x.run === 'slow' && x.i === 0) while (!existsSync(${JSON.stringify(folder.path('go on'))})) await new Promise((done) => setTimeout(done, 10))
      if (x.run === 'slow') throw new Error('no')
      return x
    }`
    const records = pool(folder, source, {}, 2)
    folder.write(
      'slow',
      Array.from({ length: 30_000 }, (_, i) => `{"run":"slow","i":${i},"t":"${'x'.repeat(900)}"}\n`).join(''),
    )
    const text = linesOf('quick', 20_000)
    folder.write('quick', text)
    const slow = await start(records, folder, 'slow', { orderSpan: 30_000 })
    while (slow.progress().failed < 10_000) await new Promise((done) => setTimeout(done, 5))
    const quick = await start(records, folder, 'quick')
    expect((await quick.done).ok).toBe(20_000)
    expect(slow.progress().ok + slow.progress().posted).toBeGreaterThan(0)
    expect(folder.read('quick.out') === text).toBe(true)
    slow.stop('now')
    folder.write('go on', '')
    await slow.done
  })

  test('are as many as have room, and no more', async () => {
    const folder = scratchFolder()
    const records = pool(folder, 'export default (x) => new Promise((done) => setTimeout(done, 20, x))')
    folder.write('in', '1\n')
    const runs = await Promise.all(
      Array.from({ length: 32 }, (_, at) => mapFile(records, { in: folder.path('in'), out: folder.path(`${at}.out`) })),
    )
    await expect(mapFile(records, { in: folder.path('in'), out: folder.path('one-more') })).rejects.toMatchObject({
      code: 'EVENKEEL_BATCH_USAGE',
    })
    for (const run of runs) expect((await run.done).ok).toBe(1)
    expect((await (await mapFile(records, { in: folder.path('in'), out: folder.path('again') })).done).ok).toBe(1)
  })
})

describe('the options of a pool', () => {
  const module = 'data:text/javascript,export default (x) => x'

  test.each<[Record<string, unknown>, string]>([
    [{}, 'module'],
    [{ module: './tasks.js' }, 'module'],
    [{ module: 7 }, 'module'],
    [{ module, task: 7 }, 'task'],
    [{ module, concurrency: 0 }, 'concurrency'],
    [{ module, concurrency: 201 }, 'concurrency'],
    [{ module, codec: 'lines' }, 'codec'],
    [{ module, codec: { formt: 'lines' } }, 'codec.formt'],
    [{ module, workers: 2 }, 'workers'],
    [{ module, dispatcher: 2 }, 'dispatcher'],
    [{ module, dispatcher: { workerData: 1 } }, 'dispatcher.workerData'],
    [{ module, dispatcher: { module } }, 'dispatcher.module'],
    [{ module, dispatcher: { defaults: {} } }, 'dispatcher.defaults'],
    [{ module, dispatcher: { workerz: 1 } }, 'workerz'],
  ])('%j is refused by name', (options, option) => {
    expect(() => new RecordPool(options as never)).toThrow(
      expect.objectContaining({ code: 'EVENKEEL_INVALID_OPTION', option }),
    )
  })

  test('the module may be a URL, a path or a string', async () => {
    const folder = scratchFolder()
    const path = folder.write('tasks.mjs', 'export default (x) => x + 1')
    folder.write('in', '1\n')
    for (const [at, given] of [pathToFileURL(path), pathToFileURL(path).href, path].entries()) {
      await using records = new RecordPool({ module: given, dispatcher: { workers: 1 } })
      await (await mapFile(records, { in: folder.path('in'), out: folder.path(`out${at}`) })).done
      expect(folder.read(`out${at}`)).toBe('2\n')
    }
  })

  test('a run that names another task is refused', async () => {
    const folder = scratchFolder()
    const records = pool(folder, 'export default (x) => x')
    const given = { in: folder.write('in', '1\n'), out: folder.path('out') }
    await expect(mapFile(records, { ...given, task: 'other' })).rejects.toMatchObject({ code: 'EVENKEEL_BATCH_USAGE' })
  })
})

test('a module that cannot be loaded ends a run before anything is written, by its own error', async () => {
  const folder = scratchFolder()
  const records = pool(folder, 'export default (x) => y; throw new SyntaxError("of the module")')
  folder.write('in', linesOf('in', 60_000))
  folder.write('in.out', 'kept')
  await expect(start(records, folder, 'in', { force: true })).rejects.toMatchObject({
    code: 'EVENKEEL_MODULE_LOAD',
    message: expect.stringMatching(/tasks\.mjs cannot be loaded: .*of the module/),
  })
  expect(folder.read('in.out')).toBe('kept')
})

test('a module that can no longer be loaded ends the run at once; its records stay to be done', async () => {
  const folder = scratchFolder()
  const flag = folder.path('gone')
  const records = pool(
    folder,
    `import { existsSync, writeFileSync } from 'node:fs'
     if (existsSync(${JSON.stringify(flag)})) throw new Error('gone')
     export default (x) => { if (x.i === 100) { writeFileSync(${JSON.stringify(flag)}, ''); process.exit(3) } return x }`,
  )
  folder.write('in', linesOf('in', 60_000))
  const { failed, stopped } = await (await start(records, folder, 'in')).done
  expect(failed).toBe(1)
  expect(stopped).toMatchObject({ type: 'workers', error: { code: 'EVENKEEL_MODULE_LOAD' } })
})

describe('a pool that is closed', () => {
  const slowTask = 'export default (x) => new Promise((done) => setTimeout(done, 50, x))'

  test('waits for the runs under way and takes no more', async () => {
    const folder = scratchFolder()
    const records = pool(folder, slowTask)
    folder.write('in', linesOf('in', 5))
    const run = await start(records, folder, 'in')
    const closing = records.close()
    expect(records.close()).toBe(closing)
    await expect(start(records, folder, 'in')).rejects.toThrow('closed')
    await closing
    expect(await run.done).toMatchObject({ ok: 5, stopped: undefined })
  })

  test.each([
    ['force', { force: true }],
    ['a time limit', { timeoutMs: 1 }],
  ])('ends the runs by %s', async (_, options) => {
    const folder = scratchFolder()
    const records = pool(folder, slowTask)
    folder.write('in', linesOf('in', 500))
    const run = await start(records, folder, 'in')
    await records.close(options)
    const { ok, failed, stopped } = await run.done
    expect([ok < 500, failed]).toEqual([true, 0])
    expect(stopped).toMatchObject({ type: 'request' })
  })

  test('by its dispatcher ends a run with that error, not record by record', async () => {
    const folder = scratchFolder()
    const records = pool(folder, slowTask)
    folder.write('in', linesOf('in', 500))
    const run = await start(records, folder, 'in')
    await records.dispatcher.close({ force: true })
    expect(await run.done).toMatchObject({
      failed: 0,
      stopped: { type: 'workers', error: { code: 'EVENKEEL_CLOSED' } },
    })
  })
})

test('a task that ends its worker is told under its own name', async () => {
  const folder = scratchFolder()
  const records = pool(folder, 'export default (n) => (n === 2 ? process.exit(7) : n)')
  const input = folder.write('in', '1\n2\n3\n')
  const run = await mapFile(records, { in: input, out: folder.path('out'), errors: folder.path('errors') })
  expect(await run.done).toMatchObject({ ok: 2, failed: 1 })
  const { error } = JSON.parse(folder.read('errors')) as { error: { message: string; stack: string } }
  expect(error.message).toBe('the task ended its worker: exit code 7')
  expect(error.stack).not.toContain('"map')
})
