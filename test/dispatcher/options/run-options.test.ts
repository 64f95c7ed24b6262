import { describe, expect, test } from 'vitest'
import { checkDefaults, checkGates, checkRunOptions, NO_OPTIONS } from '../../../src/dispatcher/options/run-options.js'

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

describe('defaults of a pool', () => {
  const given = { priority: 2, runTimeoutMs: 10, queueTimeoutMs: 20, deadlineMs: 30, retries: { times: 2 } }

  test('hold where the call says nothing, or undefined; what it says wins', () => {
    const defaults = checkDefaults(given)
    expect(checkRunOptions({}, undefined, defaults)).toEqual(given)
    expect(checkRunOptions({ priority: undefined, tag: 'a' }, undefined, defaults)).toEqual({ ...given, tag: 'a' })
    const own = { priority: 0, runTimeoutMs: Number.POSITIVE_INFINITY, queueTimeoutMs: 0, retries: { times: 0 } }
    expect(checkRunOptions(own, undefined, defaults)).toEqual({ ...own, deadlineMs: 30 })
  })

  test('hold only where the call has such an option', () => {
    expect(checkRunOptions({}, ['tag', 'deadlineMs'], checkDefaults(given))).toEqual({ deadlineMs: 30 })
  })

  test('are a frozen copy of own properties; none at all are the options of a call without any', () => {
    const changing = { ...given, retries: { ...given.retries } }
    const defaults = checkDefaults(changing)
    changing.priority = 9
    changing.retries.times = 9
    expect(defaults).toEqual(given)
    expect(Object.isFrozen(defaults)).toBe(true)
    for (const none of [undefined, {}, { priority: undefined }, Object.create(given)]) {
      expect(checkDefaults(none)).toBe(NO_OPTIONS)
    }
  })

  test.each([
    [{ priority: 1.5 }, 'defaults.priority'],
    [{ runTimeoutMs: '5' }, 'defaults.runTimeoutMs'],
    [{ deadlineMs: Number.NaN }, 'defaults.deadlineMs'],
    [{ retries: 3 }, 'defaults.retries'],
    [{ retries: { times: -1 } }, 'defaults.retries.times'],
    [{ signal: new AbortController().signal }, 'defaults.signal'],
    [{ tag: 'a' }, 'defaults.tag'],
    [{ key: 'a' }, 'defaults.key'],
    [{ gate: 'a' }, 'defaults.gate'],
    [{ delayMs: 1 }, 'defaults.delayMs'],
    [{ timeoutMs: 1 }, 'defaults.timeoutMs'],
    [null, 'defaults'],
    [[], 'defaults'],
  ])('%j is refused: %s', (wrong, option) => {
    expect(() => checkDefaults(wrong)).toThrow(expect.objectContaining({ code: 'EVENKEEL_INVALID_OPTION', option }))
  })
})

describe('gates', () => {
  test('gates limit what is under way, what starts per time, or both', () => {
    const given = {
      a: { concurrency: 2 },
      b: { intervalCap: 5, intervalMs: 1_000 },
      c: { concurrency: 1, intervalCap: 1, intervalMs: 9 },
    }
    const gates = checkGates(given)
    expect(Object.fromEntries(gates)).toEqual(given)
    given.a.concurrency = 7
    expect(gates.get('a')).toEqual({ concurrency: 2 })
    expect(checkGates(undefined).size).toBe(0)
  })

  test.each([
    [[], 'gates', TypeError],
    [{ a: 5 }, 'gates.a', TypeError],
    [{ a: {} }, 'gates.a', TypeError],
    [{ a: { limit: 5 } }, 'gates.a.limit', TypeError],
    [{ a: { concurrency: 0 } }, 'gates.a.concurrency', RangeError],
    [{ a: { concurrency: 1.5 } }, 'gates.a.concurrency', RangeError],
    [{ a: { intervalCap: 5 } }, 'gates.a', TypeError],
    [{ a: { intervalCap: 0, intervalMs: 5 } }, 'gates.a.intervalCap', RangeError],
    [{ a: { intervalCap: 1, intervalMs: 0 } }, 'gates.a.intervalMs', RangeError],
    [{ a: { concurrency: 1, intervalMs: Number.NaN } }, 'gates.a.intervalMs', RangeError],
  ])('%j is refused: %s', (gates, option, type) => {
    expect(() => checkGates(gates)).toThrow(type)
    expect(() => checkGates(gates)).toThrow(expect.objectContaining({ option }))
  })
})
