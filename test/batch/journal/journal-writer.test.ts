import { open } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { START_MARK } from '../../../src/batch/journal/journal-state.js'
import { JournalWriter, type JournalWriterOptions } from '../../../src/batch/journal/journal-writer.js'
import type { RecordOutcome } from '../../../src/batch/records/record.js'
import { loneRecord, scratchFolder, wholeStretch } from '../scratch-folder.js'

const OK: RecordOutcome = { type: 'ok', result: 'x', runMs: undefined }
const FAILED: RecordOutcome = { type: 'failed', error: { name: 'E', message: 'm' } }
const ENTRY = '{"id":1}'
const PREFIX = { input: 0, offset: 30, records: 3 }

async function writer(more: Partial<JournalWriterOptions> = {}) {
  const folder = scratchFolder()
  const file = await open(folder.path('journal'), 'w+')
  onTestFinished(() => file.close())
  const journal = new JournalWriter({
    file,
    path: 'journal',
    offset: 0,
    earlier: START_MARK,
    notesDone: false,
    wasFailed: () => false,
    nameOf: (record) => `n${record.seq}`,
    guard: () => undefined,
    checksumAt: () => undefined,
    ...more,
  })
  const lines = () =>
    folder
      .read('journal')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  return { journal, lines }
}

test('nothing is written before its group is closed and flushed', async () => {
  const { journal, lines } = await writer()
  journal.note(loneRecord(0), OK, ENTRY)
  journal.note(loneRecord(1), FAILED, ENTRY)
  await journal.flush()
  expect(lines()).toEqual([])
  journal.mark(PREFIX, 40, 7)
  journal.note(loneRecord(2), FAILED, ENTRY)
  await journal.flush()
  expect(lines()).toEqual([
    { type: 'fail', k: 'n1', in: 0, off: 10, try: 0, final: true, entry: { id: 1 } },
    { ...START_MARK, inOff: 30, records: 3, ok: 1, failed: 1, outOff: 40, outCrc: 7 },
  ])
})

test('a group may be as large as a fast run makes it', async () => {
  const { journal, lines } = await writer()
  for (let seq = 0; seq < 200_000; seq++) journal.note(loneRecord(seq), FAILED, ENTRY)
  journal.mark(PREFIX, 1, 1)
  await journal.flush()
  expect(lines()).toHaveLength(200_001)
})

test('a mark that says nothing new is left out', async () => {
  const { journal, lines } = await writer()
  journal.mark(PREFIX, 40, 0)
  journal.mark(PREFIX, 40, 0)
  await journal.flush()
  expect(lines()).toHaveLength(1)
})

test('finished records are noted singly where order does not say it', async () => {
  const { journal, lines } = await writer({ notesDone: true, checksumAt: () => ({ offset: 20, crc: 5 }) })
  const record = loneRecord(1)
  record.journalKey = 'one'
  journal.note(record, OK, ENTRY)
  journal.note(loneRecord(2), { type: 'skipped' }, '')
  journal.mark(PREFIX, 40, 0)
  await journal.flush()
  expect(lines()).toEqual([
    { type: 'done', k: 'one', in: 0, off: 10, try: 0 },
    expect.objectContaining({ ok: 1, skipped: 1, crc: { offset: 20, crc: 5 } }),
  ])
})

test('a record that failed before and is done now counts once', async () => {
  const earlier = { ...START_MARK, ok: 4, failed: 2 }
  const { journal, lines } = await writer({ earlier, wasFailed: (name) => name === 'bad' || name === 'worse' })
  const mended = loneRecord(0)
  mended.journalKey = 'bad'
  const still = loneRecord(1)
  still.journalKey = 'worse'
  journal.note(mended, OK, ENTRY)
  journal.note(still, FAILED, ENTRY)
  journal.mark(PREFIX, 1, 1)
  await journal.flush()
  expect(lines().at(-1)).toMatchObject({ ok: 5, failed: 1 })
  expect(journal.hasMended).toBe(true)
})

test('a record that failed before and is passed over as bad now is failed no more', async () => {
  const earlier = { ...START_MARK, failed: 1 }
  const { journal, lines } = await writer({ earlier, wasFailed: () => true })
  const record = loneRecord(0)
  record.journalKey = 'bad'
  journal.note(record, { type: 'skipped' }, '')
  journal.mark(PREFIX, 0, 0)
  await journal.flush()
  expect(lines()).toMatchObject([
    { type: 'done', k: 'bad' },
    { failed: 0, skipped: 1 },
  ])
  expect([journal.hasMended, journal.counts]).toEqual([true, { ok: 0, failed: 0, skipped: 1 }])
})

test('nothing is written once another run has the lock', async () => {
  const { journal, lines } = await writer({
    guard: () => {
      throw new Error('taken over')
    },
  })
  journal.mark(PREFIX, 40, 0)
  await expect(journal.flush()).rejects.toThrow('taken over')
  expect(lines()).toEqual([])
})

test('records of which only the count matters are in the next mark', async () => {
  const { journal, lines } = await writer()
  journal.note(wholeStretch(0, 1000), OK, '')
  journal.note(loneRecord(1000), OK, ENTRY)
  journal.mark(PREFIX, 40, 0)
  await journal.flush()
  expect(lines()).toEqual([{ ...START_MARK, inOff: 30, records: 3, ok: 1001, outOff: 40 }])
})
