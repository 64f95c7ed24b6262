import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { ReportSignals, RunSignals, type SignalSource } from '../../src/cli/run-signals.js'

function listen() {
  const log: string[] = []
  const source = Object.assign(new EventEmitter(), {
    pid: 7,
    kill: (pid: number, signal: string) => log.push(`kill ${pid} ${signal}`),
  })
  const signals = new RunSignals(source as unknown as SignalSource, {
    drain: (signal) => log.push(`drain ${signal}`),
    abort: (signal) => log.push(`abort ${signal}`),
  })
  return { log, source, signals }
}

test('three signals drain, abort and end; the first one is remembered', () => {
  const { log, source, signals } = listen()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGINT']) source.emit(signal, signal)
  expect(log).toEqual(['drain SIGTERM', 'abort SIGINT', 'kill 7 SIGINT'])
  expect(signals.first).toBe('SIGTERM')
  expect(source.eventNames()).toEqual([])
})

test('after the run nothing is listened to any more', () => {
  const { log, source, signals } = listen()
  signals.release()
  source.emit('SIGINT', 'SIGINT')
  expect(log).toEqual([])
})

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
