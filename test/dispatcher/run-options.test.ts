import { describe, expect, test } from 'vitest'
import { checkRunOptions } from '../../src/dispatcher/run-options.js'

describe('options of run', () => {
  test('all of them together are accepted and given back as they are', () => {
    const options = {
      priority: -3,
      runTimeoutMs: 0,
      queueTimeoutMs: 0.5,
      deadlineMs: Number.POSITIVE_INFINITY,
      signal: new AbortController().signal,
      retries: { times: 3, on: 'any', backoffMs: 0 },
      key: '',
      transfer: [new ArrayBuffer(1)],
      onProgress: () => {},
      tag: 'group',
      delayMs: 0,
      share: '',
      gate: 'api',
    }
    expect(checkRunOptions(options)).toBe(options)
    expect(checkRunOptions({})).toEqual({})
  })

  test('undefined is as good as not given', () => {
    const options = {
      priority: undefined,
      runTimeoutMs: undefined,
      signal: undefined,
      retries: undefined,
      key: undefined,
    }
    expect(checkRunOptions(options)).toBe(options)
  })

  test('a signal of another realm will do', () => {
    const foreign = { aborted: false, addEventListener() {}, removeEventListener() {} }
    expect(checkRunOptions({ signal: foreign }).signal).toBe(foreign)
  })

  test.each([
    [{ priority: 1.5 }, 'priority', RangeError],
    [{ priority: Number.NaN }, 'priority', RangeError],
    [{ priority: 'high' }, 'priority', TypeError],
    [{ runTimeoutMs: -1 }, 'runTimeoutMs', RangeError],
    [{ queueTimeoutMs: Number.NaN }, 'queueTimeoutMs', RangeError],
    [{ deadlineMs: '5' }, 'deadlineMs', TypeError],
    [{ timeoutMs: 5 }, 'timeoutMs', TypeError],
    [{ signal: {} }, 'signal', TypeError],
    [{ signal: null }, 'signal', TypeError],
    [{ retries: 3 }, 'retries', TypeError],
    [{ retries: '3' }, 'retries', TypeError],
    [{ retries: {} }, 'retries.times', TypeError],
    [{ retries: { times: -1 } }, 'retries.times', RangeError],
    [{ retries: { times: Number.POSITIVE_INFINITY } }, 'retries.times', RangeError],
    [{ retries: { times: 1, on: 'all' } }, 'retries.on', RangeError],
    [{ retries: { times: 1, backoffMs: -1 } }, 'retries.backoffMs', RangeError],
    [{ retries: { times: 1, delayMs: 1 } }, 'retries.delayMs', TypeError],
    [{ key: 7 }, 'key', TypeError],
    [{ gate: 7 }, 'gate', TypeError],
    [{ tag: 7 }, 'tag', TypeError],
    [{ share: {} }, 'share', TypeError],
    [{ delayMs: -1 }, 'delayMs', RangeError],
    [{ delayMs: Number.POSITIVE_INFINITY }, 'delayMs', RangeError],
    [{ transfer: new ArrayBuffer(1) }, 'transfer', TypeError],
    [{ onProgress: true }, 'onProgress', TypeError],
    [null, 'options', TypeError],
    [5, 'options', TypeError],
  ])('%j is refused: %s', (options, option, type) => {
    expect(() => checkRunOptions(options)).toThrow(type)
    expect(() => checkRunOptions(options)).toThrow(expect.objectContaining({ code: 'EVENKEEL_INVALID_OPTION', option }))
  })

  test('a bare number of retries is refused with the form', () => {
    expect(() => checkRunOptions({ retries: 2 })).toThrow('retries: expected an object such as { times: 3 }, got 2')
  })
})
