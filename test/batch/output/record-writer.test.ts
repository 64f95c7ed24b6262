import { closeSync, openSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.js'
import { AppendSink } from '../../../src/batch/output/append-sink.js'
import { type RecordJournal, RecordWriter } from '../../../src/batch/output/record-writer.js'
import { linesOutcome, loneRecord, scratchFolder, wholeStretch } from '../scratch-folder.js'

const PREFIX = { input: 0, offset: 10, records: 1 }
const FAILED = { type: 'failed', error: { name: 'E', message: 'm' } } as const

function writerOn({ envelope = false, journal }: { envelope?: boolean; journal?: RecordJournal } = {}) {
  const folder = scratchFolder()
  const sinkOf = (name: string): AppendSink => {
    const fd = openSync(folder.path(name), 'w')
    onTestFinished(() => closeSync(fd))
    return new AppendSink({
      file: { fd, name, offset: 0, close: async () => undefined },
      separator: 10,
      clock: systemClock,
      onError: () => undefined,
    })
  }
  const writer = new RecordWriter({
    out: sinkOf('out'),
    errors: sinkOf('errors'),
    journal,
    envelope,
    inputNames: ['in'],
    textOf: () => Buffer.from('text'),
  })
  return { folder, writer }
}

test('each outcome leaves its line where it belongs', async () => {
  const { folder, writer } = writerOn()
  writer.pass(loneRecord(0), { type: 'ok', result: 'zero', runMs: undefined })
  writer.pass(loneRecord(1), FAILED)
  writer.pass(loneRecord(2), { type: 'skipped' })
  writer.pass(loneRecord(3), { type: 'unfinished' })
  await writer.finish(PREFIX)
  expect(folder.read('out')).toBe('zero\n')
  expect(JSON.parse(folder.read('errors'))).toMatchObject({ file: 'in', line: 2, record: 'text' })
  expect(writer.outOffset).toBe(5)
})

test('in envelopes failures are in the output too', async () => {
  const { folder, writer } = writerOn({ envelope: true })
  writer.pass(loneRecord(0), { type: 'ok', result: '0', runMs: 1 })
  writer.pass(loneRecord(1), FAILED)
  await writer.finish(PREFIX)
  expect(
    folder
      .read('out')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).ok),
  ).toEqual([true, false])
})

test('the journal is marked with what was passed and flushed after the files', async () => {
  const calls: unknown[] = []
  const journal: RecordJournal = {
    note: (record, outcome) => calls.push(`${record.seq} ${outcome.type}`),
    mark: (prefix, outOffset, errorsOffset) => calls.push([prefix, outOffset, errorsOffset > 0]),
    flush: async () => {
      calls.push(folder.read('out'))
    },
  }
  const { folder, writer } = writerOn({ journal })
  writer.pass(loneRecord(0), { type: 'ok', result: 'zero', runMs: undefined })
  const first = writer.commit(PREFIX)
  expect(writer.commit(PREFIX)).toBe(first)
  writer.pass(loneRecord(1), { type: 'unfinished' })
  await first
  expect(calls).toEqual(['0 ok', [PREFIX, 5, false], 'zero\n'])
})

test('a writer that fell behind catches up', async () => {
  const { writer } = writerOn()
  const line = 'x'.repeat(100_000)
  for (let count = 0; count < 60; count++)
    writer.pass(loneRecord(count), { type: 'ok', result: line, runMs: undefined })
  expect(writer.isBehind).toBe(true)
  await writer.caughtUp()
  expect(writer.isBehind).toBe(false)
  await writer.finish(PREFIX)
})

test('the lines of a stretch are written as they are and counted; without lines nothing is', async () => {
  const notes: unknown[] = []
  const journal: RecordJournal = {
    note: ({ count }, { type }) => notes.push([count, type]),
    mark: () => undefined,
    flush: async () => undefined,
  }
  const { folder, writer } = writerOn({ journal })
  writer.pass(wholeStretch(0, 2), linesOutcome('a\nb\n'))
  writer.pass(wholeStretch(2, 3), { type: 'unfinished' })
  await writer.finish(PREFIX)
  expect(folder.read('out')).toBe('a\nb\n')
  expect(notes).toEqual([[2, 'ok']])
  expect(writer.passed).toEqual({ ok: 2, failed: 0, skipped: 0 })
})
