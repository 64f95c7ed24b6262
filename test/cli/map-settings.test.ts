import { expect, test } from 'vitest'
import { OptionRangeError, OptionTypeError } from '../../src/base/errors.js'
import type { MapArguments } from '../../src/cli/map-arguments.js'
import { messageInFlags, poolSettings, runSettings, threadCount } from '../../src/cli/map-settings.js'

const GIVEN: MapArguments = {
  out: '-',
  format: 'jsonl',
  delimiter: ',',
  maxLine: 100,
  onBadRecord: 'error',
  orderSpan: 5,
  batch: 1,
  retries: 2,
  retryDelayMs: 10,
  retryFactor: 3,
  retryJitter: 0,
  skip: 0,
  seed: 1,
  progress: 'auto',
}
const MODULE = { url: 'file:///m.mjs', task: 't', path: '/m.mjs', sha256: 'abc' }

test('threads by number or share, at least one', () => {
  expect(threadCount({}, 6)).toBe(6)
  expect(threadCount({ threads: { count: 0 } }, 6)).toBe(6)
  expect(threadCount({ threads: { count: 3 } }, 6)).toBe(3)
  expect(threadCount({ threads: { share: 0.5 } }, 6)).toBe(3)
  expect(threadCount({ threads: { share: 0.01 } }, 6)).toBe(1)
})

test('what was not given is left to the defaults', () => {
  const settings = runSettings(GIVEN, MODULE)
  expect(settings).toMatchObject({
    in: ['-'],
    out: '-',
    retries: { times: 2, delayMs: 10, factor: 3, jitter: 0 },
    halt: [],
    gates: [],
  })
  expect(Object.values(settings)).not.toContain(undefined)
  expect(settings.identity).toEqual({ task: 't' })
  expect(settings.versions).toEqual({ module: '/m.mjs', 'module text': 'abc' })
  expect(settings).not.toHaveProperty('journal')
})

test('gates, rules, samples and keys are passed on', () => {
  const settings = runSettings(
    {
      ...GIVEN,
      maxLoad: 1,
      maxRss: 2,
      minFree: 3,
      halt: { when: 'now', why: 'fail', limit: 1, isPercent: false },
      maxErrors: { when: 'soon', why: 'fail', limit: 3, isPercent: false },
      sample: { share: 0.25 },
      key: '/id',
      strategy: { name: 'consistent-hash' },
      delimiter: '\\t',
    },
    MODULE,
  )
  expect(settings.gates?.map(({ name }) => name)).toEqual(['max-load', 'max-rss', 'min-free'])
  expect(settings.halt).toHaveLength(2)
  expect(settings).toMatchObject({ sample: 0.25, keysChooseWorker: true, delimiter: '\t' })
  expect(runSettings({ ...GIVEN, sample: { count: 9 }, key: '/id' }, MODULE)).toMatchObject({
    sample: { count: 9 },
    keysChooseWorker: false,
  })
})

test('the pool knows the formats of the run', () => {
  const { codec, dispatcher, concurrency } = poolSettings(
    { ...GIVEN, envelope: true, concurrency: 8, threads: { count: 2 } },
    MODULE,
  )
  expect(codec).toEqual({ format: 'jsonl', envelope: true, groupSize: 1 })
  expect(dispatcher).toEqual({ workers: 2 })
  expect(concurrency).toBe(8)
})

test('raw CSV makes no sense', () => {
  expect(() => runSettings({ ...GIVEN, format: 'csv', raw: true }, MODULE)).toThrow('--raw')
})

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
