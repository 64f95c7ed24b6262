import { expect, test } from 'vitest'
import { BatchInputError, JournalError } from '../../src/batch/options/batch-errors.js'
import type { BatchSummary } from '../../src/batch/options/batch-progress.js'
import { resumeCommandLine, summaryLine } from '../../src/cli/summary-line.js'

const SUMMARY: BatchSummary = {
  ok: 90,
  failed: 0,
  skipped: 1,
  retried: 2,
  unfinished: 0,
  resumed: 0,
  thisRun: { ok: 90, failed: 0, skipped: 1 },
  elapsedMs: 1500,
  writtenBytes: 5,
  stopped: undefined,
}
const CONTEXT = { journal: 'out.journal', resumeCommand: 'evenkeel map x --resume' }

test('what went well is short', () => {
  expect(summaryLine(SUMMARY, { ...CONTEXT, journal: undefined })).toBe(
    'ok=90 failed=0 skipped=1 retried=2 in 1.5s (60.0/s)',
  )
  expect(summaryLine(SUMMARY, CONTEXT)).toMatch(/journal=out\.journal$/)
})

test('what did not end well says how to go on', () => {
  const stopped = {
    ...SUMMARY,
    failed: 3,
    thisRun: { ok: 30, failed: 1, skipped: 1 },
    unfinished: 2,
    resumed: 7,
    stopped: { type: 'request', message: 'x' },
  } as const
  expect(summaryLine(stopped, CONTEXT)).toBe(
    'ok=90 failed=3 skipped=1 retried=2 (this run: ok=30 failed=1 skipped=1) resumed=7 unfinished=2 in 1.5s (20.7/s) journal=out.journal resume: evenkeel map x --resume',
  )
})

test('the command to resume is this one, as a shell takes it', () => {
  expect(resumeCommandLine(['map', './my tasks.mjs#x', '--force', '--in', "it's"], 'unfinished')).toBe(
    "evenkeel map './my tasks.mjs#x' --in 'it'\\''s' --resume",
  )
  expect(resumeCommandLine(['map', 'm', '--resume', 'all', '--out', 'o'], 'failed')).toBe(
    'evenkeel map m --out o --resume=failed',
  )
  expect(resumeCommandLine(['map', 'm', '--resume=all', '--resume', '--out', 'o'], 'unfinished')).toBe(
    'evenkeel map m --out o --resume',
  )
})

test('the command to resume reaches what failed behind a limit, and stands before names', () => {
  expect(resumeCommandLine(['map', '--limit', '5', '--limit=3', '--', 'm'], 'failed')).toBe(
    'evenkeel map --resume=failed -- m',
  )
  expect(resumeCommandLine(['map', 'm', '--limit', '5'], 'unfinished')).toBe('evenkeel map m --limit 5 --resume')
})

test('nothing is suggested that would be refused again', () => {
  const error = new JournalError('the input was changed')
  const stopped = { ...SUMMARY, failed: 1, stopped: { type: 'fault', error } } as const
  expect(summaryLine(stopped, CONTEXT)).not.toContain('resume:')
  const input = new BatchInputError('cut', 'in')
  expect(summaryLine({ ...SUMMARY, stopped: { type: 'input', error: input } }, CONTEXT)).toContain('resume:')
})
