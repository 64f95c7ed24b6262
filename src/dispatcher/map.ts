/** One task per item of an iterable, with back-pressure. */

import { checkBoolean, checkInteger, checkKeys, checkObject, checkOneOf } from '../base/checks.js'
import { OptionTypeError } from '../base/errors.js'
import { checkRunOptions, type RunOptions } from './run-options.js'

/** What `Dispatcher.map` takes; the options of `run` hold for every item. */
export interface MapOptions extends Omit<RunOptions, 'key' | 'share' | 'delayMs' | 'transfer'> {
  /** Yield in the order of the items instead of as they come. Default false. */
  readonly ordered?: boolean
  /** Items in flight at most. Default: 256 per worker. */
  readonly concurrency?: number
  /** `throw` (default): the first failure ends the map. `yield`: a failed item is yielded with its `error`. */
  readonly onError?: 'throw' | 'yield'
}

/** One result of `Dispatcher.map`. */
export interface MapItem<Value> {
  /** Position of the item in the iterable, from 0. */
  readonly index: number
  readonly value: Value
  /** What the item's task rejected with; only with `onError: 'yield'`. */
  readonly error?: unknown
}

type Run = (payload: unknown, options: RunOptions) => Promise<unknown>

const ITEMS_PER_WORKER = 256

interface ResolvedMap {
  readonly ordered: boolean
  readonly concurrency: number
  readonly onError: 'throw' | 'yield'
  readonly run: RunOptions
}

function resolveMap(value: unknown, workers: number): ResolvedMap {
  const { ordered = false, concurrency, onError = 'throw', ...run } = checkObject('options', value) as MapOptions
  checkKeys('', run, [
    'priority',
    'runTimeoutMs',
    'queueTimeoutMs',
    'deadlineMs',
    'signal',
    'retries',
    'onProgress',
    'tag',
    'gate',
  ])
  return {
    ordered: checkBoolean('ordered', ordered),
    concurrency:
      concurrency === undefined ? ITEMS_PER_WORKER * workers : checkInteger('concurrency', concurrency, 1, 1_000_000),
    onError: checkOneOf('onError', onError, ['throw', 'yield']),
    run: checkRunOptions(run),
  }
}

type Source = AsyncIterator<unknown> | Iterator<unknown>

function iteratorOf(items: unknown): Source {
  const source = items as Partial<AsyncIterable<unknown> & Iterable<unknown>> | null | undefined
  if (typeof source?.[Symbol.asyncIterator] === 'function') return source[Symbol.asyncIterator]!()
  if (typeof source?.[Symbol.iterator] === 'function') return source[Symbol.iterator]!()
  throw new OptionTypeError('items', 'expected an iterable or async iterable')
}

/** Items drawn and not yet yielded. */
class Flight {
  readonly #run: Run
  readonly #ordered: boolean
  readonly #options: RunOptions
  readonly #abort = new AbortController()
  readonly #unfollow: () => void
  readonly #done = new Map<number, MapItem<unknown>>()
  #drawn = 0
  #yielded = 0
  #wake: () => void = () => {}

  constructor(run: Run, resolved: ResolvedMap) {
    this.#run = run
    this.#ordered = resolved.ordered
    const { signal } = resolved.run
    const follow = () => this.#abort.abort(signal?.reason)
    if (signal?.aborted) follow()
    signal?.addEventListener('abort', follow, { once: true })
    this.#unfollow = () => signal?.removeEventListener('abort', follow)
    this.#options = { ...resolved.run, signal: this.#abort.signal }
  }

  get size(): number {
    return this.#drawn - this.#yielded
  }

  launch(payload: unknown): void {
    const index = this.#drawn++
    this.#run(payload, this.#options).then(
      (value) => this.#land({ index, value }),
      (error: unknown) => this.#land({ index, value: undefined, error }),
    )
  }

  /** A finished item that may be yielded now. */
  take(): MapItem<unknown> | undefined {
    const item = this.#ordered ? this.#done.get(this.#yielded) : firstOf(this.#done)
    if (item === undefined) return undefined
    this.#done.delete(item.index)
    this.#yielded++
    return item
  }

  /** Resolves when an item lands, or `wake` is called. */
  change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  wake(): void {
    this.#wake()
  }

  /** Ends what is still in flight. */
  end(): void {
    this.#unfollow()
    if (this.size > 0) this.#abort.abort()
  }

  #land(item: MapItem<unknown>): void {
    this.#done.set(item.index, item)
    this.#wake()
  }
}

function firstOf(items: Map<number, MapItem<unknown>>): MapItem<unknown> | undefined {
  for (const item of items.values()) return item
  return undefined
}

/** Draws from a source that may be slow, without making finished items wait for it. */
class Draw {
  readonly #source: Source
  readonly #flight: Flight
  exhausted = false
  pending = false
  failure: { readonly error: unknown } | undefined

  constructor(source: Source, flight: Flight) {
    this.#source = source
    this.#flight = flight
  }

  next(): void {
    const drawn = this.#source.next()
    // A synchronous source costs no turn of the microtask queue per item.
    if (!isPromise(drawn)) {
      this.#take(drawn)
      return
    }
    this.pending = true
    drawn.then(
      (result) => this.#take(result),
      (error: unknown) => {
        this.failure = { error }
        this.#take({ done: true, value: undefined })
      },
    )
  }

  /** Closes the source unless it has ended by itself. */
  async close(): Promise<void> {
    if (this.exhausted) return
    const closed = this.#source.return?.()
    // A source that is waiting for its next item would let its end wait for that too.
    if (!this.pending) await closed
  }

  #take(result: IteratorResult<unknown>): void {
    this.pending = false
    if (result.done) this.exhausted = true
    else this.#flight.launch(result.value)
    this.#flight.wake()
  }
}

/**
 * Draws items only as results are taken: at most `concurrency` are drawn and not yet yielded. Whatever ends it, the
 * tasks still in flight are aborted and the source is closed.
 */
export async function* mapTasks(
  run: Run,
  items: unknown,
  options: unknown,
  workers: number,
): AsyncGenerator<MapItem<unknown>, void, undefined> {
  const resolved = resolveMap(options ?? {}, workers)
  const flight = new Flight(run, resolved)
  const draw = new Draw(iteratorOf(items), flight)
  try {
    for (;;) {
      while (!draw.exhausted && !draw.pending && flight.size < resolved.concurrency) draw.next()
      const item = flight.take()
      if (item !== undefined) {
        if (resolved.onError === 'throw' && 'error' in item) throw item.error
        yield item
      } else if (draw.failure !== undefined) throw draw.failure.error
      else if (flight.size === 0 && draw.exhausted) return
      else await flight.change()
    }
  } finally {
    flight.end()
    await draw.close()
  }
}

function isPromise(value: unknown): value is Promise<IteratorResult<unknown>> {
  return typeof (value as Promise<unknown>).then === 'function'
}
