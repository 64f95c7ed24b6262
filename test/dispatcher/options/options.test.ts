import { fileURLToPath, pathToFileURL } from 'node:url'
import { SHARE_ENV } from 'node:worker_threads'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { defaultParallelism } from '../../../src/base/parallelism.js'
import { systemRandom } from '../../../src/base/random.js'
import { MAX_WORKERS, resolveOptions, threadFileOf } from '../../../src/dispatcher/options/options.js'

const mark = vi.hoisted(() => ({ current: undefined as { depth: number; loading: boolean } | undefined }))
vi.mock('../../../src/protocol/thread-mark.js', () => ({ threadMark: () => mark.current }))
afterEach(() => {
  mark.current = undefined
})

const module = '/tasks.js'

describe('defaults', () => {
  test('are those that are documented', () => {
    expect(resolveOptions({ module })).toMatchObject({
      moduleUrl: 'file:///tasks.js',
      workers: { min: defaultParallelism(), max: defaultParallelism() },
      strategy: { name: 'range-table' },
      window: undefined,
      ioWindow: 64,
      maxQueue: Number.POSITIVE_INFINITY,
      mode: 'central',
      takeBack: true,
      stallMs: 250,
      stallUnknownMs: 5_000,
      stallKillMs: Number.POSITIVE_INFINITY,
      graceMs: 250,
      ageMs: 1_000,
      idleMs: 10_000,
      closeTimeoutMs: 30_000,
      maxTasksPerWorker: Number.POSITIVE_INFINITY,
      maxHeapBytes: Number.POSITIVE_INFINITY,
      holdMs: 1_000,
      random: systemRandom,
      workerData: undefined,
    })
  })

  test('an option given as undefined is not given', () => {
    const options = resolveOptions({ module, workers: undefined, mode: undefined, stallMs: undefined, env: undefined })
    expect(options).toMatchObject({ mode: 'central', stallMs: 250 })
  })

  test('the time for names without history follows stallMs where it is not set', () => {
    expect(resolveOptions({ module, stallMs: 50 }).stallUnknownMs).toBe(1_000)
    expect(resolveOptions({ module, stallMs: Number.POSITIVE_INFINITY }).stallUnknownMs).toBe(Number.POSITIVE_INFINITY)
    expect(resolveOptions({ module, stallMs: 50, stallUnknownMs: 70 }).stallUnknownMs).toBe(70)
  })

  test('the result cannot be changed', () => {
    expect(Object.isFrozen(resolveOptions({ module }))).toBe(true)
  })
})

describe('what is given', () => {
  test('a number of workers is both bounds', () => {
    expect(resolveOptions({ module, workers: 3 }).workers).toEqual({ min: 3, max: 3 })
    expect(resolveOptions({ module, workers: { min: 0, max: 2 } }).workers).toEqual({ min: 0, max: 2 })
    expect(resolveOptions({ module, workers: MAX_WORKERS }).workers.max).toBe(1_024)
  })

  test('Infinity means no limit where a limit can be left out', () => {
    const none = Number.POSITIVE_INFINITY
    const limits = { stallMs: none, idleMs: none, closeTimeoutMs: none, maxQueue: none, maxTasksPerWorker: none }
    expect(resolveOptions({ module, ...limits })).toMatchObject(limits)
  })

  test('a strategy may be a name, a name with parameters, or an object', () => {
    const own = { name: 'mine', pick: () => 0 }
    expect(resolveOptions({ module, strategy: 'round-robin' }).strategy.name).toBe('round-robin')
    expect(resolveOptions({ module, strategy: { name: 'range-table', draws: 1 } }).strategy.name).toBe('range-table')
    expect(resolveOptions({ module, strategy: own }).strategy).toBe(own)
  })

  test("Node's own options are handed on", () => {
    const given = {
      resourceLimits: { maxOldGenerationSizeMb: 64 },
      env: SHARE_ENV,
      argv: ['a'],
      execArgv: ['--no-warnings'],
      niceIncrement: 5,
      trackUnmanagedFds: false,
    }
    expect(resolveOptions({ module, ...given }).thread).toEqual(given)
  })

  test('workerData is cloned, and shared memory stays shared', () => {
    const workerData = { counts: new Int32Array(new SharedArrayBuffer(8)), name: 'given' }
    const kept = resolveOptions({ module, workerData }).workerData as typeof workerData
    workerData.name = 'changed'
    workerData.counts[0] = 7
    expect([kept.name, kept.counts[0]]).toEqual(['given', 7])
  })

  test('all else is copied: what is changed later changes nothing', () => {
    const given = {
      workers: { min: 1, max: 2 },
      gates: { a: { concurrency: 1 } },
      load: { coefficients: { cpu: 1 }, ceilings: { cpu: 0.5 }, smoothing: { ewmaAlpha: 0.5 } },
      env: { A: '1' },
      argv: ['a'],
      execArgv: ['--no-warnings'],
      resourceLimits: { stackSizeMb: 4 },
    }
    const options = resolveOptions({ module, ...given })
    Object.assign(given.workers, { max: 9 })
    given.gates.a.concurrency = 9
    given.load.coefficients.cpu = 9
    given.load.ceilings.cpu = 9
    given.load.smoothing.ewmaAlpha = 9
    given.env.A = '9'
    given.argv[0] = given.execArgv[0] = '9'
    given.resourceLimits.stackSizeMb = 9
    expect(options).toMatchObject({
      workers: { max: 2 },
      load: { coefficients: { cpu: 1 }, ceilings: { cpu: 0.5 }, smoothing: { ewmaAlpha: 0.5 } },
      thread: { env: { A: '1' }, argv: ['a'], execArgv: ['--no-warnings'], resourceLimits: { stackSizeMb: 4 } },
    })
    expect(options.gates.get('a')).toEqual({ concurrency: 1 })
  })
})

describe('what cannot be used is refused by name', () => {
  const ofType: [object, string][] = [
    [{ workers: '4' }, 'workers'],
    [{ workers: { min: 1 } }, 'workers.max'],
    [{ workers: { min: 1, max: 2, mid: 1 } }, 'workers.mid'],
    [{ worker: 4 }, 'worker'],
    [{ threads: 4 }, 'threads'],
    [{ stallMs: '250' }, 'stallMs'],
    [{ takeBack: 1 }, 'takeBack'],
    [{ random: 5 }, 'random'],
    [{ argv: 'a' }, 'argv'],
    [{ execArgv: [1] }, 'execArgv'],
    [{ env: 'A=1' }, 'env'],
    [{ resourceLimits: [] }, 'resourceLimits'],
    [{ resourceLimits: { maxOldGenSizeMb: 10 } }, 'resourceLimits.maxOldGenSizeMb'],
    [{ resourceLimits: { stackSizeMb: '4' } }, 'resourceLimits.stackSizeMb'],
    [{ env: { A: 1 } }, 'env.A'],
    [{ niceIncrement: 'low' }, 'niceIncrement'],
    [{ load: { coefficients: { cpu: '1' } } }, 'load.coefficients.cpu'],
  ]
  test.each(ofType)('wrong type: %j', (options, option) => {
    const refused = () => resolveOptions({ module, ...options })
    expect(refused).toThrow(TypeError)
    expect(refused).toThrow(expect.objectContaining({ code: 'EVENKEEL_INVALID_OPTION', option }))
  })

  const ofValue: [object, string][] = [
    [{ workers: 0 }, 'workers'],
    [{ workers: -1 }, 'workers'],
    [{ workers: 1.5 }, 'workers'],
    [{ workers: Number.NaN }, 'workers'],
    [{ workers: Number.POSITIVE_INFINITY }, 'workers'],
    [{ workers: MAX_WORKERS + 1 }, 'workers'],
    [{ workers: { min: 3, max: 2 } }, 'workers'],
    [{ workers: { min: -1, max: 2 } }, 'workers.min'],
    [{ workers: { min: 0, max: 0 } }, 'workers.max'],
    [{ window: 0 }, 'window'],
    [{ window: 257 }, 'window'],
    [{ ioWindow: 0 }, 'ioWindow'],
    [{ ioWindow: 201 }, 'ioWindow'],
    [{ maxQueue: -1 }, 'maxQueue'],
    [{ maxQueue: 1.5 }, 'maxQueue'],
    [{ maxQueue: Number.NaN }, 'maxQueue'],
    [{ mode: 'pull' }, 'mode'],
    [{ stallMs: -1 }, 'stallMs'],
    [{ graceMs: Number.NaN }, 'graceMs'],
    [{ closeTimeoutMs: Number.NEGATIVE_INFINITY }, 'closeTimeoutMs'],
    [{ maxTasksPerWorker: 0 }, 'maxTasksPerWorker'],
    [{ niceIncrement: 20 }, 'niceIncrement'],
    [{ load: { coefficients: { cpu: 0.5 } } }, 'load.coefficients'],
  ]
  test.each(ofValue)('wrong value: %j', (options, option) => {
    const refused = () => resolveOptions({ module, ...options })
    expect(refused).toThrow(RangeError)
    expect(refused).toThrow(expect.objectContaining({ code: 'EVENKEEL_INVALID_OPTION', option }))
  })

  test('the message of workerData that cannot be cloned says where', () => {
    expect(() => resolveOptions({ module, workerData: { deep: { fn: () => {} } } })).toThrow(
      expect.objectContaining({ code: 'EVENKEEL_CLONE', path: 'workerData.deep.fn' }),
    )
  })

  test.each([undefined, null, 'tasks.js', []])('%j is no options object', (options) => {
    expect(() => resolveOptions(options)).toThrow(TypeError)
  })

  test('an unknown strategy is refused', () => {
    expect(() => resolveOptions({ module, strategy: 'fastest' })).toThrow(
      expect.objectContaining({ code: 'EVENKEEL_INVALID_OPTION' }),
    )
  })
})

describe('inside a worker of another dispatcher', () => {
  test('the depth is known, and whether the thread still loads its module', () => {
    expect(resolveOptions({ module })).toMatchObject({ depth: 0, startsLate: false })
    mark.current = { depth: 1, loading: true }
    expect(resolveOptions({ module })).toMatchObject({ depth: 1, startsLate: true })
    mark.current = { depth: 1, loading: false }
    expect(resolveOptions({ module })).toMatchObject({ depth: 1, startsLate: false })
  })

  test('threads that start threads without end are refused', () => {
    const accepted = Array.from({ length: 50 }, (_, depth) => {
      mark.current = { depth, loading: false }
      try {
        return resolveOptions({ module }).depth
      } catch (error) {
        expect(error).toMatchObject({ code: 'EVENKEEL_INVALID_OPTION', option: 'workers' })
        return -1
      }
    })
    const refusedFrom = accepted.indexOf(-1)
    expect(refusedFrom).toBeGreaterThan(1)
    expect(accepted.slice(refusedFrom).every((depth) => depth === -1)).toBe(true)
  })
})

describe('the thread file', () => {
  const here = fileURLToPath(import.meta.url)

  describe('the thread file', () => {
    test('is with evenkeel unless it is said', () => {
      expect(threadFileOf(undefined)).toBeUndefined()
      expect(resolveOptions({ module: '/tasks.js' }).thread.threadFile).toBeUndefined()
    })

    test.each([here, pathToFileURL(here), pathToFileURL(here).href])('is given as %s', (value) => {
      expect(threadFileOf(value)).toBe(here)
      expect(resolveOptions({ module: '/tasks.js', threadFile: value }).thread.threadFile).toBe(here)
    })

    test.each([5, null, '', {}, './thread.cjs', 'evenkeel/thread', new URL('data:,')])('cannot be %s', (value) => {
      const refusal = { name: 'TypeError', code: 'EVENKEEL_INVALID_OPTION', option: 'threadFile' }
      expect(() => threadFileOf(value)).toThrow(expect.objectContaining(refusal))
      expect(() => threadFileOf(value)).toThrow("new URL('./thread.cjs', import.meta.url)")
    })

    test('has to be there', () => {
      const refusal = { name: 'RangeError', code: 'EVENKEEL_INVALID_OPTION', option: 'threadFile' }
      expect(() => threadFileOf('/nowhere/thread.cjs')).toThrow(expect.objectContaining(refusal))
      expect(() => threadFileOf('/nowhere/thread.cjs')).toThrow('/nowhere/thread.cjs does not exist')
    })
  })
})
