import { expect, test } from 'vitest'
import { failureText } from '../../src/cli/failure-text.js'

const PLACE = { input: 'in', line: 2, offset: 8, attempts: 1 }

test('a failure is one line, with its code and the tries', () => {
  expect(failureText({ ...PLACE, error: { name: 'E', message: 'm' } })).toBe('failed: in, line 2, byte 8: E: m')
  const error = { name: 'E', message: 'm', code: 'E_M', earlier: [{ name: 'F', message: 'first' }] }
  expect(failureText({ ...PLACE, attempts: 2, error })).toBe(
    'failed after 2 tries: in, line 2, byte 8: E: m (E_M)\n  earlier try 1: F: first',
  )
})

test('stack, causes and listed errors stand below it', () => {
  const stack = 'E: m\n    at own (file:///a.mjs:1:2)\n    at run (node:internal/x:1:1)'
  const error = {
    name: 'E',
    message: 'first\nsecond',
    stack,
    errors: [{ name: 'A', message: 'a' }],
    cause: { name: 'C', message: 'c', cause: { name: 'D', message: 'd' } },
  }
  expect(failureText({ ...PLACE, error }).split('\n')).toEqual([
    'failed: in, line 2, byte 8: E: first',
    '  | second',
    '    at own (file:///a.mjs:1:2)',
    '  errors[0]: A: a',
    '  caused by: C: c',
    '    caused by: D: d',
  ])
})

test('a frame without a file is left out', () => {
  const stack = 'Error: x\n    at Array.map (<anonymous>)\n    at work (/app/tasks.js:1:2)'
  const text = failureText({
    input: 'in',
    line: 1,
    offset: 0,
    attempts: 1,
    error: { name: 'Error', message: 'x', stack },
  })
  expect(text.split('\n').slice(1)).toEqual(['    at work (/app/tasks.js:1:2)'])
})

test('a failure fills no screens', () => {
  const errors = Array.from({ length: 50 }, () => ({ name: 'E', message: 'm\n'.repeat(9) }))
  const lines = failureText({ ...PLACE, error: { name: 'E', message: 'x'.repeat(5000), errors } }).split('\n')
  expect(lines).toHaveLength(31)
  expect(lines[0]!.length).toBeLessThan(1100)
  expect(lines.at(-1)).toContain('lines more; --errors FILE keeps them')
})
