import { expect, test } from 'vitest'
import { parseJournalLine } from '../../../src/batch/journal/journal-format.js'

test('only whole lines of a known kind are taken', () => {
  expect(parseJournalLine('{"v":1,"type":"run"}')).toMatchObject({ type: 'run' })
  expect(parseJournalLine('{"type":"mark"}')).toMatchObject({ type: 'mark' })
  for (const text of [
    '',
    '{"type":"mark"',
    'null',
    '[]',
    '1',
    '{"type":"other"}',
    '{"v":2,"type":"run"}',
    '{"type":"run"}',
  ]) {
    expect(parseJournalLine(text)).toBeUndefined()
  }
})
