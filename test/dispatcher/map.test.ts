import { getEventListeners, setMaxListeners } from 'node:events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type MapItem, type MapOptions, mapTasks } from '../../src/dispatcher/map.js'
import type { RunOptions } from '../../src/dispatcher/run-options.js'
import '../support/seeded-properties.js'

interface Call {
  readonly payload: unknown
  readonly options: RunOptions
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** A `run` whose calls end when the test says so; an abort rejects like the dispatcher's. */
class Runs {
  readonly calls: Call[] = []

  readonly run = (payload: unknown, options: RunOptions): Promise<unknown> =>
    new Promise((resolve, reject) => {
      this.calls.push({ payload, options, resolve, reject })
      setMaxListeners(0, options.signal!)
      options.signal!.addEventListener('abort', () => reject(new Error('aborted')))
    })
}

const double = (payload: unknown) => Promise.resolve((payload as number) * 2)
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function mapOf(run: Runs['run'], items: unknown, options?: MapOptions, workers = 1) {
  return mapTasks(run, items, options, workers)
}

async function collect(map: AsyncIterable<MapItem<unknown>>): Promise<MapItem<unknown>[]> {
  const items: MapItem<unknown>[] = []
  for await (const item of map) items.push(item)
  return items
}

/** A source that notes how it is used. */
class Source {
  drawn = 0
  closed = 0
  readonly #count: number

  constructor(count: number) {
    this.#count = count
  }

  [Symbol.iterator](): Iterator<number> {
    return {
      next: () => (this.drawn < this.#count ? { done: false, value: this.drawn++ } : { done: true, value: undefined }),
      return: () => {
        this.closed++
        return { done: true, value: undefined }
      },
    }
  }
}

describe('results', () => {
  test('every item of an iterable comes back once, with its place', async () => {
    const items = await collect(mapOf(double, new Set([5, 6, 7])))
    expect(items.toSorted((a, b) => a.index - b.index)).toEqual([
      { index: 0, value: 10 },
      { index: 1, value: 12 },
      { index: 2, value: 14 },
    ])
  })

  test('an empty source gives nothing', async () => {
    expect(await collect(mapOf(double, []))).toEqual([])
  })

  test('an async source is as good', async () => {
    async function* source() {
      yield 1
      await turn()
      yield 2
    }
    const values = (await collect(mapOf(double, source()))).map(({ value }) => value)
    expect(values).toEqual([2, 4])
  })

  test('they come as they end; ordered, in the order of the items', async () => {
    for (const ordered of [false, true]) {
      const runs = new Runs()
      const collected = collect(mapOf(runs.run, [0, 1, 2], { ordered }))
      await turn()
      for (const at of [2, 0, 1]) {
        runs.calls[at]!.resolve(at)
        await turn()
      }
      expect((await collected).map(({ index }) => index)).toEqual(ordered ? [0, 1, 2] : [2, 0, 1])
    }
  })

  test('undefined is a result like any other', async () => {
    const items = await collect(mapOf(() => Promise.resolve(undefined), [1], { ordered: true }))
    expect(items).toEqual([{ index: 0, value: undefined }])
  })
})

describe('back-pressure', () => {
  test('no more than `concurrency` items are drawn and not yet yielded', async () => {
    const runs = new Runs()
    const source = new Source(100)
    const map = mapOf(runs.run, source, { concurrency: 3 })
    const first = map.next()
    await turn()
    expect(source.drawn).toBe(3)
    for (const call of runs.calls) call.resolve(1)
    await first
    await turn()
    // The consumer took one and asks for no more: nothing further is drawn.
    expect(source.drawn).toBe(3)
    await map.next()
    expect(source.drawn).toBe(4)
    await map.return()
  })

  test('an item that waits for its turn in the order takes a place of the concurrency', async () => {
    const runs = new Runs()
    const source = new Source(100)
    const map = mapOf(runs.run, source, { concurrency: 2, ordered: true })
    const first = map.next()
    await turn()
    runs.calls[1]!.resolve(1)
    await turn()
    expect(source.drawn).toBe(2)
    runs.calls[0]!.resolve(0)
    expect((await first).value).toEqual({ index: 0, value: 0 })
    await map.return()
  })

  test('by default 256 items per worker are in flight', async () => {
    const runs = new Runs()
    const map = mapOf(runs.run, new Source(10_000), undefined, 3)
    const first = map.next()
    await turn()
    expect(runs.calls).toHaveLength(768)
    runs.calls[0]!.resolve(0)
    await first
    await map.return()
  })

  test('nothing is drawn before the first item is asked for', async () => {
    const source = new Source(5)
    const map = mapOf(double, source)
    await turn()
    expect(source.drawn).toBe(0)
    await map.return()
  })

  test('whatever the concurrency and the order of the ends, the bound holds and all come back', async () => {
    const parts = fc.record({
      count: fc.nat(30),
      concurrency: fc.integer({ min: 1, max: 8 }),
      ordered: fc.boolean(),
      ends: fc.array(fc.nat(1_000), { minLength: 30, maxLength: 30 }),
      isAsync: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(parts, async ({ count, concurrency, ordered, ends, isAsync }) => {
        const runs = new Runs()
        const open: Call[] = []
        let drawn = 0
        let yielded = 0
        const run = (payload: unknown, options: RunOptions) => {
          const result = runs.run(payload, options)
          open.push(runs.calls.at(-1)!)
          expect(++drawn - yielded).toBeLessThanOrEqual(concurrency)
          return result
        }
        async function* slow() {
          yield* new Source(count)
        }
        const map = mapOf(run, isAsync ? slow() : new Source(count), { concurrency, ordered })
        const collected = (async () => {
          const indices: number[] = []
          for await (const { index, value } of map) {
            yielded++
            expect(value).toBe(index)
            indices.push(index)
          }
          return indices
        })()
        for (let end = 0; end < count; end++) {
          while (open.length === 0) await turn()
          const [call] = open.splice(ends[end]! % open.length, 1)
          call!.resolve(call!.payload)
          if (end % 3 === 0) await turn()
        }
        const indices = await collected
        expect(ordered ? indices : indices.toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: count }, (_, i) => i),
        )
      }),
      { numRuns: 60 },
    )
  })

  test('finished items do not wait for a slow source', async () => {
    const runs = new Runs()
    let give: (value: IteratorResult<number>) => void = () => {}
    const source = {
      [Symbol.asyncIterator]: () => ({
        drawn: 0,
        next(): Promise<IteratorResult<number>> {
          if (this.drawn++ === 0) return Promise.resolve({ done: false, value: 1 })
          return new Promise((resolve) => {
            give = resolve
          })
        },
      }),
    }
    const map = mapOf(runs.run, source)
    const first = map.next()
    await turn()
    runs.calls[0]!.resolve('early')
    expect((await first).value).toEqual({ index: 0, value: 'early' })
    const end = map.next()
    await turn()
    give({ done: true, value: undefined })
    expect((await end).done).toBe(true)
  })
})

describe('failures', () => {
  test('the first ends the map, aborts what is in flight and closes the source', async () => {
    const runs = new Runs()
    const source = new Source(10)
    const collected = collect(mapOf(runs.run, source, { concurrency: 4 }))
    await turn()
    runs.calls[2]!.reject(new Error('third'))
    await expect(collected).rejects.toThrow('third')
    expect(runs.calls.filter(({ options }) => options.signal!.aborted)).toHaveLength(4)
    expect(source).toMatchObject({ drawn: 4, closed: 1 })
  })

  test('a failure whose reason is undefined is one', async () => {
    const map = mapOf(() => Promise.reject(undefined), [1, 2])
    await expect(collect(map)).rejects.toBeUndefined()
  })

  test('with onError yield every item comes, failed ones with their error', async () => {
    const run = (payload: unknown) => (payload === 1 ? Promise.reject(new Error('one')) : Promise.resolve(payload))
    const items = await collect(mapOf(run, [0, 1, 2], { onError: 'yield', ordered: true }))
    expect(items).toEqual([
      { index: 0, value: 0 },
      { index: 1, value: undefined, error: new Error('one') },
      { index: 2, value: 2 },
    ])
  })

  test('a failing source lets the items before it come first', async () => {
    async function* source() {
      yield 1
      yield 2
      throw new Error('source')
    }
    const values: unknown[] = []
    const loop = async () => {
      for await (const { value } of mapOf(double, source())) values.push(value)
    }
    await expect(loop()).rejects.toThrow('source')
    expect(values).toEqual([2, 4])
  })

  test('a synchronous source that throws ends the map and aborts what is in flight', async () => {
    const runs = new Runs()
    function* source() {
      yield 1
      throw new Error('source')
    }
    await expect(collect(mapOf(runs.run, source()))).rejects.toThrow('source')
    expect(runs.calls.map(({ options }) => options.signal!.aborted)).toEqual([true])
  })
})

describe('an early end', () => {
  test('leaving the loop aborts what is in flight and closes the source', async () => {
    const runs = new Runs()
    const source = new Source(10)
    const loop = (async () => {
      for await (const { index } of mapOf(runs.run, source, { concurrency: 3 })) return index
      return -1
    })()
    await turn()
    runs.calls[1]!.resolve('one')
    expect(await loop).toBe(1)
    expect(runs.calls.map(({ options }) => options.signal!.aborted)).toEqual([true, true, true])
    expect(source.closed).toBe(1)
  })

  test('it does not wait for a source that never gives its next item', async () => {
    let closed = false
    const source = {
      [Symbol.asyncIterator]: () => ({
        drawn: 0,
        next(): Promise<IteratorResult<number>> {
          return this.drawn++ === 0 ? Promise.resolve({ done: false, value: 1 }) : new Promise(() => {})
        },
        return(): Promise<IteratorResult<number>> {
          closed = true
          return new Promise(() => {})
        },
      }),
    }
    for await (const { value } of mapOf(double, source)) {
      expect(value).toBe(2)
      break
    }
    expect(closed).toBe(true)
  })

  test('an abort by the caller reaches every item, and its listener leaves with the map', async () => {
    const runs = new Runs()
    const controller = new AbortController()
    const collected = collect(mapOf(runs.run, [1, 2], { signal: controller.signal }))
    await turn()
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
    controller.abort('enough')
    await expect(collected).rejects.toThrow('aborted')
    expect(runs.calls.map(({ options }) => options.signal!.reason)).toEqual(['enough', 'enough'])
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })

  test('a map that ended by itself has no listener left', async () => {
    const { signal } = new AbortController()
    await collect(mapOf(double, [1, 2], { signal }))
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })
})

describe('options', () => {
  test('those of run are passed on', async () => {
    const runs = new Runs()
    const onProgress = () => {}
    const map = mapOf(runs.run, [1], { priority: 3, runTimeoutMs: 50, retries: { times: 1 }, onProgress })
    const first = map.next()
    await turn()
    expect(runs.calls[0]!.options).toMatchObject({ priority: 3, runTimeoutMs: 50, retries: { times: 1 }, onProgress })
    runs.calls[0]!.resolve(1)
    await first
  })

  test.each([
    [{ concurrency: 0 }, 'concurrency'],
    [{ concurrency: 1.5 }, 'concurrency'],
    [{ ordered: 'yes' }, 'ordered'],
    [{ onError: 'skip' }, 'onError'],
    [{ key: 'a' }, 'key'],
    [{ transfer: [] }, 'transfer'],
    [{ concurency: 1 }, 'concurency'],
    [{ runTimeoutMs: Number.NaN }, 'runTimeoutMs'],
    ['fast', 'options'],
  ])('%j is refused by name', async (options, option) => {
    const map = mapTasks(double, [1], options, 1)
    await expect(map.next()).rejects.toMatchObject({ code: 'EVENKEEL_INVALID_OPTION', option })
  })

  test.each([undefined, null, 7, {}])('%j is no source', async (items) => {
    await expect(mapTasks(double, items, {}, 1).next()).rejects.toMatchObject({ option: 'items' })
  })
})
