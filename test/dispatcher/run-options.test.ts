import { describe, expect, test } from 'vitest'
import { checkRunOptions } from '../../src/dispatcher/run-options.js'

describe('options of run', () => {
  test('all of them together are accepted, as a copy', () => {
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
    const copy = checkRunOptions(options)
    expect(copy).toEqual(options)
    options.retries.times = 9
    options.transfer.length = 0
    expect(copy).toMatchObject({ retries: { times: 3 }, transfer: [new ArrayBuffer(1)] })
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
    expect(checkRunOptions(options)).toEqual({})
  })

  test('each is read once, and only where it is the own one of the object', () => {
    const reads: string[] = []
    const given = new Proxy(Object.assign(Object.create({ tag: 'inherited' }), { priority: 1, key: 'k' }), {
      get: (target, key) => {
        reads.push(String(key))
        return Reflect.get(target, key)
      },
    })
    expect(checkRunOptions(given)).toEqual({ priority: 1, key: 'k' })
    expect(reads).toEqual(['priority', 'key'])
  })

  test('what stands on the prototype of all objects is not found on a copy', () => {
    const polluted = Object.prototype as { slot?: number; times?: number }
    polluted.slot = 3
    polluted.times = 5
    try {
      expect(() => checkRunOptions({ retries: {} })).toThrow(TypeError)
      expect((checkRunOptions({}) as { slot?: number }).slot).toBeUndefined()
    } finally {
      delete polluted.slot
      delete polluted.times
    }
  })

  test('a call may take fewer of them', () => {
    expect(checkRunOptions({ tag: 'a' }, ['tag'])).toEqual({ tag: 'a' })
    expect(() => checkRunOptions({ key: 'a' }, ['tag'])).toThrow(expect.objectContaining({ option: 'key' }))
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
