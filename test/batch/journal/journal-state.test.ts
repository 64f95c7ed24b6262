import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { failureEntries, isBefore, readJournal, START_MARK } from '../../../src/batch/journal/journal-state.js'
import { scratchFolder } from '../scratch-folder.js'

const OUTPUT = 'o'.repeat(1000)
const runLine = (key: string | null = null) =>
  JSON.stringify({
    v: 1,
    type: 'run',
    runId: 'r',
    inputs: [],
    identity: {},
    versions: {},
    errors: null,
    settings: {},
    key,
  })
const mark = (inOff: number, outOff: number) =>
  JSON.stringify({ ...START_MARK, inOff, outOff, outCrc: crc32(OUTPUT.slice(0, outOff)) })
const done = (k: string, off: number) => JSON.stringify({ type: 'done', k, in: 0, off, try: 1 })
const fail = (k: string, off: number) =>
  JSON.stringify({ type: 'fail', k, in: 0, off, try: 1, final: true, entry: { id: k } })

async function read(lines: readonly string[], outBytes = 1000, tail = '') {
  const folder = scratchFolder()
  const output = { path: folder.write('out', OUTPUT.slice(0, outBytes)) }
  return readJournal(folder.write('journal', lines.map((line) => `${line}\n`).join('') + tail), output)
}

test('a journal without a whole first line proves nothing', async () => {
  expect(await read([])).toBeUndefined()
  expect(await read([], 0, runLine())).toBeUndefined()
  expect(await read([mark(0, 0)])).toBeUndefined()
})

test('only groups closed by a mark count', async () => {
  const lines = [runLine(), done('a', 10), mark(0, 5), done('b', 20)]
  const state = await read(lines, 1000, '{"torn')
  expect([...state!.done]).toEqual(['a'])
  expect(state!.mark.outOff).toBe(5)
  expect(state!.journalBytes).toBe(lines.slice(0, 3).join('\n').length + 1)
})

test('groups that the output does not bear out never happened, nor any behind them', async () => {
  const state = await read([runLine(), mark(10, 5), mark(20, 9), mark(30, 7)], 8)
  expect(state!.mark).toMatchObject({ inOff: 10, outOff: 5 })
  expect([state!.isCut, state!.outCrc]).toEqual([true, crc32('ooooo')])
})

test('an output that is gone bears nothing out, one with another text is refused, unless any will do', async () => {
  const folder = scratchFolder()
  const path = folder.write('journal', `${[runLine(), mark(10, 5), mark(20, 9)].join('\n')}\n`)
  expect((await readJournal(path, { path: folder.path('out') }))!.mark.inOff).toBe(0)
  const out = folder.write('out', 'oooo!oooo')
  await expect(readJournal(path, { path: out })).rejects.toMatchObject({
    code: 'EVENKEEL_JOURNAL',
    message: expect.stringContaining('its first 5 bytes have changed'),
  })
  const state = await readJournal(path, { path: out, anyText: true })
  expect([state!.mark.inOff, state!.outCrc]).toEqual([20, crc32('oooo!oooo')])
  expect((await readJournal(path))!.mark.inOff).toBe(20)
})

test('a strange line ends what counts', async () => {
  const state = await read([runLine(), mark(10, 5), 'garbage', mark(20, 6)])
  expect(state!.mark.inOff).toBe(10)
  const twice = await read([runLine(), mark(10, 5), runLine(), mark(20, 6)])
  expect(twice!.mark.inOff).toBe(10)
})

test('finished records before the mark are forgotten, unless records have content keys', async () => {
  const lines = [done('a', 10), done('b', 90), mark(50, 5)]
  expect([...(await read([runLine(), ...lines]))!.done]).toEqual(['b'])
  expect([...(await read([runLine('/id'), ...lines]))!.done]).toEqual(['a', 'b'])
})

test('a failed record that was done later is failed no more', async () => {
  const state = await read([runLine(), fail('a', 1), fail('b', 2), mark(50, 5), done('a', 1), mark(50, 8)])
  expect([...state!.failed.keys()]).toEqual(['b'])
})

test('a hundred thousand finished records before the mark leave no trace', async () => {
  const many = Array.from({ length: 150_000 }, (_, i) => done(`k${i}`, i))
  const state = await read([
    runLine(),
    ...many.slice(0, 100_000),
    mark(100_000, 1),
    ...many.slice(100_000),
    mark(149_999, 2),
  ])
  expect([...state!.done]).toEqual(['k149999'])
})

test('before a mark is whatever starts before its place', () => {
  const at = { ...START_MARK, in: 1, inOff: 10 }
  expect(isBefore({ in: 0, off: 99 }, at)).toBe(true)
  expect(isBefore({ in: 1, off: 9 }, at)).toBe(true)
  expect(isBefore({ in: 1, off: 10 }, at)).toBe(false)
})

test('the lines of the errors file are in the journal, those of the last failure of each record', async () => {
  const folder = scratchFolder()
  const lines = [
    runLine(),
    fail('a', 1),
    fail('b', 2),
    fail('c', 3),
    mark(50, 5),
    done('c', 3),
    fail('a', 1),
    mark(50, 8),
  ]
  const path = folder.write('journal', `${lines.join('\n')}\n`)
  const { failed } = (await readJournal(path))!
  const entries: string[] = []
  for await (const entry of failureEntries(path, failed.values())) entries.push(entry)
  expect(entries).toEqual(['{"id":"b"}', '{"id":"a"}'])
})
