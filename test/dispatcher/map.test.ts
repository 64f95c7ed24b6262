import { getEventListeners, setMaxListeners } from 'node:events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.js'
import { EvenkeelError } from '../../src/base/errors.js'
import { type MapItem, type MapOptions, type MapParts, MapSource, mapTasks } from '../../src/dispatcher/map.js'
import type { RunOptions } from '../../src/dispatcher/options/run-options.js'
import { FakeClock } from '../support/fake-clock.js'
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

function failAtTheEnd(): never {
  throw new Error('from finally')
}

const double = (payload: unknown) => Promise.resolve((payload as number) * 2)
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function partsOf(run: Runs['run'], parts: Partial<MapParts> = {}): MapParts {
  const { signal } = new AbortController()
  return { run, place: () => undefined, closing: signal, workers: 1, graceMs: 0, clock: systemClock, ...parts }
}

function mapOf(run: Runs['run'], items: unknown, options?: MapOptions, parts?: Partial<MapParts>) {
  return mapTasks(partsOf(run, parts), items, options)
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
    const map = mapOf(runs.run, new Source(10_000), undefined, { workers: 3 })
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

describe('an unusual source', () => {
  test('a list of promises is awaited, as in a loop over it', async () => {
    expect(
      (await collect(mapOf(double, [Promise.resolve(1), 2], { ordered: true }))).map(({ value }) => value),
    ).toEqual([2, 4])
    let closed = 0
    const source = {
      [Symbol.iterator]: () => ({
        next: () => ({ done: false, value: Promise.reject(new Error('item')) }),
        return: () => {
          closed++
          return { done: true as const, value: undefined }
        },
      }),
    }
    await expect(collect(mapOf(double, source))).rejects.toThrow('item')
    expect(closed).toBe(1)
  })

  test.each([
    ['no object', 7],
    ['nothing', undefined],
    ['a promise of nothing', Promise.resolve(null)],
  ])('one whose `next` gives %s ends the map', async (_what, result) => {
    const source = { [Symbol.asyncIterator]: () => ({ next: () => result as never }) }
    await expect(collect(mapOf(double, source))).rejects.toThrow(TypeError)
  })

  test('items are asked for one after the other by calls that overlap', async () => {
    const map = mapOf(double, [1, 2, 3], { ordered: true })
    const calls = await Promise.all(Array.from({ length: 5 }, () => map.next()))
    expect(calls.map(({ done, value }) => (done ? 'done' : value!.value))).toEqual([2, 4, 6, 'done', 'done'])
  })
})

describe('a full queue', () => {
  test('items wait for a place, one at a time, and go on in their order', async () => {
    const started: unknown[] = []
    let free = 2
    const waiting: (() => void)[] = []
    const place = () => (free-- > 0 ? undefined : new Promise<void>((resolve) => waiting.push(resolve)))
    const run = (payload: unknown) => {
      started.push(payload)
      return Promise.resolve(payload)
    }
    const collected = collect(mapOf(run, [0, 1, 2, 3, 4], { ordered: true }, { place }))
    for (let shown = 2; shown < 5; shown++) {
      await turn()
      expect([started.length, waiting.length]).toEqual([shown, 1])
      waiting.shift()!()
    }
    expect((await collected).map(({ value }) => value)).toEqual([0, 1, 2, 3, 4])
  })

  test('an item whose place was taken by a call that did not wait for one waits again', async () => {
    const full = new EvenkeelError('EVENKEEL_QUEUE_FULL', 'full')
    let refusals = 2
    const run = (payload: unknown) => (refusals-- > 0 ? Promise.reject(full) : double(payload))
    const place = () => Promise.resolve()
    const items = await collect(mapOf(run, [1, 2, 3], { ordered: true }, { place }))
    expect(items.map(({ value }) => value)).toEqual([2, 4, 6])
  })

  test('an item that is refused after the loop was left is not tried again', async () => {
    const { run, calls } = new Runs()
    const map = mapOf(run, [1, 2])
    const first = map.next()
    await turn()
    calls[0]!.resolve(1)
    await first
    const left = map.return(undefined)
    calls[1]!.reject(new EvenkeelError('EVENKEEL_QUEUE_FULL', 'full'))
    await left
    await turn()
    expect(calls.length).toBe(2)
  })

  test('the signal does not wait for a place', async () => {
    const controller = new AbortController()
    const parts = { place: () => new Promise<void>(() => {}) }
    const map = mapOf(double, [1, 2], { signal: controller.signal, onError: 'yield' }, parts)
    const first = map.next()
    await turn()
    controller.abort('enough')
    expect((await first).value).toMatchObject({ index: 0, error: { code: 'EVENKEEL_ABORTED' } })
    await expect(map.next()).rejects.toMatchObject({ code: 'EVENKEEL_ABORTED' })
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

  test('while the source is asked for its next item, nothing more starts, and what its end throws comes out', async () => {
    const runs = new Runs()
    let give = () => {}
    async function* source() {
      try {
        yield 1
        await new Promise<void>((resolve) => {
          give = resolve
        })
        yield 2
      } finally {
        failAtTheEnd()
      }
    }
    const loop = (async () => {
      for await (const _ of mapOf(runs.run, source(), {}, { graceMs: 10_000 })) break
    })()
    loop.catch(() => {})
    await turn()
    runs.calls[0]!.resolve(1)
    await turn()
    give()
    await expect(loop).rejects.toThrow('from finally')
    expect(runs.calls).toHaveLength(1)
  })

  test('an error of the loop is not replaced by one of the source’s end', async () => {
    async function* source() {
      try {
        yield 1
        yield 2
      } finally {
        failAtTheEnd()
      }
    }
    const failing = () => Promise.reject(new Error('from the task'))
    await expect(collect(mapOf(failing, source()))).rejects.toThrow('from the task')
    const leave = async () => {
      for await (const _ of mapOf(double, source())) throw new Error('from the loop')
    }
    // A loop that throws only asks the generator to return: the language keeps the loop's own error.
    await expect(leave()).rejects.toThrow('from the loop')
  })

  test('before the first item was asked for, the source is not even opened', async () => {
    let opened = 0
    const map = mapOf(double, {
      [Symbol.iterator]() {
        opened++
        return [1][Symbol.iterator]()
      },
    })
    await map.return()
    expect([opened, await map.next()]).toEqual([0, { done: true, value: undefined }])
  })

  test.each([
    ['throws', () => expect.unreachable('return')],
    ['rejects', () => Promise.reject(new Error('return'))],
  ])('what a source’s `return` %s comes out of the loop', async (_what, end) => {
    const source = {
      [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: 1 }), return: end as () => never }),
    }
    const loop = async () => {
      for await (const _ of mapOf(double, source, { concurrency: 2 })) break
    }
    await expect(loop()).rejects.toThrow('return')
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

  const silent: AsyncIterable<number> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }

  test.each(['throw', 'yield'] as const)(
    'by the signal comes also while the source gives nothing: %s',
    async (onError) => {
      const controller = new AbortController()
      const collected = collect(mapOf(double, silent, { signal: controller.signal, onError }))
      await turn()
      controller.abort('enough')
      await expect(collected).rejects.toMatchObject({ code: 'EVENKEEL_ABORTED', cause: 'enough' })
      const late = collect(mapOf(double, [1], { signal: controller.signal, onError }))
      await expect(late).rejects.toMatchObject({ code: 'EVENKEEL_ABORTED', cause: 'enough' })
    },
  )

  test('by the close of the pool comes also while the source gives nothing, after what is in flight', async () => {
    const runs = new Runs()
    const closing = new AbortController()
    async function* source() {
      yield 1
      yield* silent
    }
    const seen: unknown[] = []
    const loop = (async () => {
      for await (const { value } of mapOf(runs.run, source(), {}, { closing: closing.signal })) seen.push(value)
    })()
    loop.catch(() => {})
    await turn()
    closing.abort(new Error('closed'))
    await turn()
    runs.calls[0]!.resolve('finished')
    await expect(loop).rejects.toThrow('closed')
    expect([seen, runs.calls[0]!.options.signal!.aborted]).toEqual([['finished'], false])
    await expect(collect(mapOf(double, [1], {}, { closing: closing.signal }))).rejects.toThrow('closed')
  })

  test('an endless source ends with the signal although failed items are yielded', async () => {
    const controller = new AbortController()
    const { signal } = controller
    function* endless() {
      for (let n = 0; ; n++) yield n
    }
    const run = (_: unknown, options: RunOptions) =>
      options.signal!.aborted ? Promise.reject(new Error('aborted')) : Promise.resolve(1)
    let items = 0
    const loop = async () => {
      for await (const _ of mapOf(run, endless(), { signal, onError: 'yield', concurrency: 4 })) {
        if (++items === 10) controller.abort('enough')
      }
    }
    await expect(loop()).rejects.toMatchObject({ code: 'EVENKEEL_ABORTED' })
    expect(items).toBeLessThan(15)
  })

  test('many maps on one signal keep one listener on it', async () => {
    const { signal } = new AbortController()
    const runs = new Runs()
    const maps = Array.from({ length: 20 }, () => mapOf(runs.run, [1], { signal }))
    const firsts = maps.map((map) => map.next())
    await turn()
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    for (const call of runs.calls) call.resolve(1)
    await Promise.all(firsts)
    await Promise.all(maps.map((map) => map.return()))
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
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
    const map = mapTasks(partsOf(double), [1], options)
    await expect(map.next()).rejects.toMatchObject({ code: 'EVENKEEL_INVALID_OPTION', option })
  })

  test('an item without an error has none from the prototype of all objects', async () => {
    const map = mapOf(double, [1])
    const polluted = Object.prototype as { error?: unknown }
    polluted.error = 'everywhere'
    try {
      expect((await map.next()).value).toEqual({ index: 0, value: 2 })
    } finally {
      delete polluted.error
    }
  })

  test.each([undefined, null, 7, {}])('%j is no source', async (items) => {
    await expect(mapTasks(partsOf(double), items, {}).next()).rejects.toMatchObject({ option: 'items' })
  })
})

describe('the source of a map', () => {
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

  function sourceOf(iterator: Partial<AsyncIterator<unknown>> | Iterator<unknown>) {
    const taken: unknown[] = []
    let changes = 0
    const source = new MapSource(
      iterator as Iterator<unknown>,
      (item) => taken.push(item),
      () => changes++,
    )
    return { source, taken, changes: () => changes }
  }

  test('a synchronous source gives at once, an asynchronous one later, and says so', async () => {
    const sync = sourceOf([1, 2][Symbol.iterator]())
    for (let draw = 0; draw < 3; draw++) sync.source.draw()
    expect([sync.taken, sync.source.hasEnded, sync.source.canGive]).toEqual([[1, 2], true, false])
    const slow = sourceOf({ next: async () => ({ done: false, value: 1 }) })
    slow.source.draw()
    expect([slow.taken, slow.source.canGive]).toEqual([[], false])
    await turn()
    expect([slow.taken, slow.source.canGive, slow.changes()]).toEqual([[1], true, 1])
  })

  test('its end is waited for as long as it may take, and not longer', async () => {
    const clock = new FakeClock()
    let reject: (error: unknown) => void = () => {}
    const { source } = sourceOf({
      next: () => new Promise(() => {}),
      return: () =>
        new Promise((_, no) => {
          reject = no
        }),
    })
    source.draw()
    let isLeft = false
    const left = source.leave(false, 250, clock).then(() => {
      isLeft = true
    })
    await turn()
    clock.advance(249)
    await turn()
    expect(isLeft).toBe(false)
    clock.advance(1)
    await left
    // Too late to be heard, and no unhandled rejection.
    reject(new Error('late'))
    await turn()
    expect(clock.timers).toBe(0)
  })

  test('an item that comes after it was left is dropped, and a failure meanwhile is thrown', async () => {
    let settle: { resolve(value: unknown): void; reject(error: unknown): void } | undefined
    const next = () =>
      new Promise<never>((resolve, reject) => {
        settle = { resolve: resolve as (value: unknown) => void, reject }
      })
    const dropped = sourceOf({ next, return: async () => ({ done: true, value: undefined }) })
    dropped.source.draw()
    await dropped.source.leave(false, 250, new FakeClock())
    settle!.resolve({ done: false, value: 1 })
    await turn()
    expect(dropped.taken).toEqual([])
    const failing = sourceOf({ next, return: () => turn() as Promise<never> })
    failing.source.draw()
    const left = failing.source.leave(false, 250, new FakeClock())
    settle!.reject(new Error('pending'))
    await expect(left).rejects.toThrow('pending')
  })

  test('one that has ended or thrown is not closed', async () => {
    let closed = 0
    const done = {
      next: () => ({ done: true as const, value: 1 }),
      return: () => ({ done: true as const, value: closed++ }),
    }
    const bad = { ...done, next: () => expect.unreachable('next') }
    for (const iterator of [done, bad]) {
      const { source } = sourceOf(iterator)
      source.draw()
      await source.leave(false, 250, new FakeClock())
      expect(source.hasEnded).toBe(true)
    }
    expect(closed).toBe(0)
  })
})
