import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { BatchEvents } from '../../src/batch/options/batch-progress.js'
import { RunReporter } from '../../src/batch/run-reporter.js'
import { loneRecord } from './scratch-folder.js'

test('what happens to records becomes events; a kind of warning comes once', () => {
  const seen: unknown[] = []
  const run = Object.assign(new EventEmitter<BatchEvents>(), {
    stop: (when: string, reason: unknown) => seen.push([when, reason]),
  })
  run.on('failure', (failure) => seen.push(failure))
  run.on('retry', (retry) => seen.push(retry))
  run.on('warning', (text) => seen.push(text))
  const reporter = new RunReporter({ run, inputNames: ['in'], settled: () => undefined })
  const record = loneRecord(2)
  const error = { name: 'E', message: 'm' }
  reporter.failed(record, error)
  reporter.retried(record, 5, error)
  reporter.warned('number', record)
  reporter.warned('number', record)
  reporter.warned('surrogate', record)
  reporter.foundBad(record, 'broken')
  expect(seen).toEqual([
    { input: 'in', line: 3, offset: 20, attempts: 0, error },
    { input: 'in', line: 3, delayMs: 5, error },
    expect.stringMatching(/numbers.*in, line 3/),
    expect.stringMatching(/surrogates/),
    ['soon', { type: 'bad-record', message: 'bad record in in, line 3, byte 20: broken' }],
  ])
})
