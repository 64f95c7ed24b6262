import { expect, test } from 'vitest'
import {
  BatchInputError,
  BatchOutputError,
  BatchUsageError,
  JournalError,
} from '../../../src/batch/options/batch-errors.js'

test('each error says what it is by name and code', () => {
  const cause = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  const output = new BatchOutputError('cannot write out', cause)
  expect(output).toMatchObject({
    code: 'EVENKEEL_BATCH_OUTPUT',
    systemCode: 'ENOSPC',
    message: 'cannot write out: no space',
    cause,
  })
  expect(new BatchInputError('x', 'in', { cause })).toMatchObject({ code: 'EVENKEEL_BATCH_INPUT', input: 'in', cause })
  expect(new BatchUsageError('x')).toMatchObject({ code: 'EVENKEEL_BATCH_USAGE', name: 'BatchUsageError' })
  expect(new JournalError('x', cause)).toMatchObject({
    code: 'EVENKEEL_JOURNAL',
    name: 'JournalError',
    retryable: false,
    cause,
  })
})
