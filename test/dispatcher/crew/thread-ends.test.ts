import { describe, expect, test } from 'vitest'
import { PoolWorker } from '../../../src/dispatcher/crew/pool-worker.js'
import { exitEventOf, moduleError, reasonOf } from '../../../src/dispatcher/crew/thread-ends.js'

describe('why a thread ended', () => {
  const oom = Object.assign(new Error('full'), { code: 'ERR_WORKER_OUT_OF_MEMORY' })

  test.each([
    ['by itself', {}, undefined, 'crash'],
    ['by something thrown outside its tasks', {}, new Error('thrown'), 'crash'],
    ['without memory', {}, oom, 'oom'],
    ['when it had no more to do', { stopping: true, endExpected: true, afterDrain: 'stay dead' }, undefined, 'idle'],
    ['to be replaced', { stopping: true, endExpected: true, afterDrain: 'restart' }, undefined, 'recycle'],
    ['in its teardown', { stopping: true, afterDrain: 'restart' }, new Error('thrown'), 'recycle'],
    ['before it was needed', { hasLoaded: false, endExpected: true }, undefined, 'idle'],
    ['because a task would not', { endExpected: true }, undefined, 'timeout'],
    ['because the module could not be loaded', { hasLoaded: false, loadFailed: true }, new Error('no'), 'load'],
  ] as const)('%s', (_, fields, error, reason) => {
    const worker = Object.assign(new PoolWorker(2), { hasLoaded: true }, fields)
    const { endExpected: expected } = worker
    expect(exitEventOf(worker, { exitCode: 7, error }, false)).toEqual({
      slot: 2,
      exitCode: 7,
      expected,
      reason,
      error,
    })
    expect(exitEventOf(worker, { exitCode: 7, error }, true).reason).toBe('shutdown')
  })

  test('is told as the worker said it, if it could', () => {
    const worker = new PoolWorker(0)
    worker.uncaught = { error: 'last words' }
    expect(exitEventOf(worker, { exitCode: 1 }, false).error).toBe('last words')
  })

  test('may be anything that can be thrown, undefined too', () => {
    const worker = new PoolWorker(0)
    worker.uncaught = { error: undefined }
    expect(reasonOf(worker, { exitCode: 1, error: new Error('unused') })).toBeUndefined()
  })
})

test('a module that cannot be loaded is named', () => {
  const cause = new SyntaxError('unexpected')
  const error = moduleError('file:///t.js', cause)
  expect(error).toMatchObject({
    code: 'EVENKEEL_MODULE_LOAD',
    cause,
    message: 'file:///t.js could not be loaded: unexpected',
  })
  expect(error.stack).toContain('in the worker: SyntaxError')
  expect(moduleError('file:///t.js', 'text').message).toContain('text')
})
