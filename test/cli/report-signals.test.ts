import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { ReportSignals } from '../../src/cli/report-signals.js'

test('either signal asks whoever reports at the moment, and none is ever left without a listener', () => {
  const source = new EventEmitter()
  const log: string[] = []
  const reports = new ReportSignals(source, () => log.push('not yet'))
  source.emit('SIGUSR2')
  reports.use(() => log.push('report'))
  source.emit('SIGUSR2')
  source.emit('SIGINFO')
  expect(log).toEqual(['not yet', 'report', 'report'])
  expect(source.eventNames()).toEqual(['SIGUSR2', 'SIGINFO'])
})

test('the signal of the debugger is left alone', () => {
  const source = new EventEmitter()
  new ReportSignals(source, () => undefined)
  expect(source.listenerCount('SIGUSR1')).toBe(0)
})
