import { expect, test } from 'vitest'
import { EvenkeelError, OptionRangeError } from '../../src/base/errors.js'
import {
  BatchInputError,
  BatchOutputError,
  BatchUsageError,
  JournalError,
} from '../../src/batch/options/batch-errors.js'
import type { BatchSummary, StopReason } from '../../src/batch/options/batch-progress.js'
import { exitCodeOfError, exitCodeOfRun } from '../../src/cli/exit-codes.js'

const output = (code: string) => new BatchOutputError('x', Object.assign(new Error('y'), { code }))

function summary(stopped: StopReason | undefined, failed = 0): BatchSummary {
  return {
    ok: 1,
    failed,
    skipped: 0,
    retried: 0,
    unfinished: 0,
    resumed: 0,
    thisRun: { ok: 0, failed: 0, skipped: 0 },
    elapsedMs: 1,
    writtenBytes: 1,
    stopped,
  }
}

test('errors of the whole run', () => {
  expect(exitCodeOfError(new BatchInputError('x', 'in'))).toBe(4)
  expect(exitCodeOfError(new JournalError('x'))).toBe(4)
  expect(exitCodeOfError(output('ENOSPC'))).toBe(5)
  expect(exitCodeOfError(output('EPIPE'))).toBe(141)
  expect(exitCodeOfError(new BatchOutputError('x', new JournalError('lost')))).toBe(4)
  expect(exitCodeOfError(new BatchUsageError('x'))).toBe(2)
  expect(exitCodeOfError(new OptionRangeError('a', 'x'))).toBe(2)
  expect(exitCodeOfError(new Error('fault'))).toBe(1)
})

test('ends of a run: the reason it stopped goes before failed records', () => {
  const request = { type: 'request', message: 'x' } as const
  for (const [expected, stopped, failed, signal] of [
    [0, undefined, 0, undefined],
    [1, undefined, 3, undefined],
    [3, { type: 'halt', message: 'x' }, 3, undefined],
    [130, request, 3, 'SIGINT'],
    [143, request, 0, 'SIGTERM'],
    [4, { type: 'input', error: new BatchInputError('x', 'in') }, 1, undefined],
    [5, { type: 'output', error: output('EIO') }, 1, undefined],
    [141, { type: 'output', error: output('EPIPE') }, 0, undefined],
    [3, { type: 'bad-record', message: 'x' }, 1, undefined],
  ] as const) {
    expect(exitCodeOfRun(summary(stopped, failed), signal, false)).toBe(expected)
  }
})

test('a module that cannot be loaded is wrong usage; failed records may be forgiven', () => {
  for (const code of ['EVENKEEL_MODULE_LOAD', 'EVENKEEL_UNKNOWN_TASK'] as const) {
    const error = new EvenkeelError(code, 'x')
    expect(exitCodeOfRun(summary({ type: 'workers', error }), undefined, true)).toBe(2)
  }
  expect(exitCodeOfRun(summary(undefined, 3), undefined, true)).toBe(0)
})
