import { expect, test } from 'vitest'
import { OptionRangeError, OptionTypeError } from '../../src/base/errors.js'
import { messageInFlags } from '../../src/cli/option-flags.js'

test.each([
  ['maxRecordBytes', '--max-line: wrong'],
  ['retries.factor', '--retry-factor: wrong'],
  ['workers', '--threads: wrong'],
  ['sample', '--sample: wrong'],
  ['resumeAnyway', '--resume-anyway: wrong'],
  ['module', 'module: wrong'],
  ['toString', 'toString: wrong'],
])('an error of %s reads %s', (option, message) => {
  expect(messageInFlags(new OptionTypeError(option, 'wrong'))).toBe(message)
  expect(messageInFlags(new OptionRangeError(option, 'wrong'))).toBe(message)
})

test('any other error keeps its message', () => {
  expect(messageInFlags(new Error('key: wrong'))).toBe('key: wrong')
  expect(messageInFlags(Object.assign(new Error('wrong'), { option: 'key' }))).toBe('wrong')
})
