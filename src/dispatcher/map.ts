/** `Dispatcher.map`: one task per item of an iterable, with back-pressure. */

import { types } from 'node:util'
import { checkBoolean, checkInteger, checkOneOf, ownOptions, readNow } from '../base/checks.js'
import type { Clock } from '../base/clock.js'
import { EvenkeelError, OptionTypeError } from '../base/errors.js'
import { isThenable } from '../base/thenable.js'
import { checkRunOptions, type RunOptions } from './options/run-options.js'
import { abortError, addListener, reasonOf, removeListener } from './settling/abort-signals.js'

/** What `Dispatcher.map` takes; the options of `run` hold for every item. */
export interface MapOptions extends Omit<RunOptions, 'key' | 'share' | 'delayMs' | 'transfer'> {
  /** Yield in the order of the items instead of as they come. Default false. */
  readonly ordered?: boolean
  /** Items in flight at most. Default: 256 per worker. */
  readonly concurrency?: number
  /**
   * `throw` (default): the first failure ends the map. `yield`: a failed item is yielded with its `error`. The map
   * still throws when its signal fires, the pool closes, or its source throws.
   */
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

/** What a map needs of its dispatcher. */
export interface MapParts {
  run(payload: unknown, options: RunOptions): Promise<unknown>
  /** A place in the queue for the next task. Undefined: there is one now. */
  place(): Promise<void> | undefined
  /** Fires when the dispatcher takes no more tasks; its reason is the error to say so. */
  readonly closing: AbortSignal
  readonly workers: number
  /** How long the source may take to end. */
  readonly graceMs: number
  readonly clock: Clock
}

const ITEMS_PER_WORKER = 256

interface ResolvedMap {
  readonly ordered: boolean
  readonly concurrency: number
  readonly onError: 'throw' | 'yield'
  readonly run: RunOptions
}

const KEYS: readonly (keyof MapOptions)[] = [
  'ordered',
  'concurrency',
  'onError',
  'priority',
  'runTimeoutMs',
  'queueTimeoutMs',
  'deadlineMs',
  'signal',
  'retries',
  'onProgress',
  'tag',
  'gate',
]

function resolveMap(value: unknown, workers: number): ResolvedMap {
  const { ordered = false, concurrency, onError = 'throw', ...run } = ownOptions('', value, KEYS)
  return {
    ordered: checkBoolean('ordered', ordered),
    concurrency:
      concurrency === undefined ? ITEMS_PER_WORKER * workers : checkInteger('concurrency', concurrency, 1, 1_000_000),
    onError: checkOneOf('onError', onError, ['throw', 'yield']),
    run: checkRunOptions(run),
  }
}

function iteratorOf(items: unknown): ItemIterator {
  const source = items as Partial<AsyncIterable<unknown> & Iterable<unknown>> | null | undefined
  if (typeof source?.[Symbol.asyncIterator] === 'function') return source[Symbol.asyncIterator]!()
  if (typeof source?.[Symbol.iterator] === 'function') return source[Symbol.iterator]!()
  throw new OptionTypeError('items', 'expected an iterable or async iterable')
}

/** An item that waits for a place in a full queue. */
interface Held {
  readonly index: number
  readonly payload: unknown
}

/** Items drawn and not yet yielded. */
class Flight {
  readonly #parts: MapParts
  readonly #ordered: boolean
  readonly #concurrency: number
  readonly #signal: AbortSignal | undefined
  readonly #options: RunOptions
  readonly #abort = new AbortController()
  readonly #done = new Map<number, MapItem<unknown>>()
  #drawn = 0
  #yielded = 0
  readonly #held = new Set<Held>()
  #wake: () => void = () => {}
  /** Why nothing more is drawn. */
  stopped: { readonly error: unknown } | undefined

  constructor(parts: MapParts, { ordered, concurrency, run }: ResolvedMap) {
    this.#parts = parts
    this.#ordered = ordered
    this.#concurrency = concurrency
    this.#signal = run.signal
    this.#options = { ...run, signal: this.#abort.signal }
  }

  get size(): number {
    return this.#drawn - this.#yielded
  }

  get takesMore(): boolean {
    return this.stopped === undefined && this.#held.size === 0 && this.size < this.#concurrency
  }

  /** Listens to what may end the map from outside: its signal, and the close. */
  follow(): void {
    if (this.#signal !== undefined) addListener(this.#signal, this.#onAbort)
    addListener(this.#parts.closing, this.#onClose)
  }

  readonly launch = (payload: unknown): void => {
    this.#enter({ index: this.#drawn++, payload })
  }

  #enter(item: Held): void {
    const place = this.#parts.place()
    if (place === undefined) {
      this.#start(item)
      return
    }
    this.#held.add(item)
    void place.then(() => {
      if (!this.#held.delete(item)) return
      this.#start(item)
      this.wake()
    })
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

  readonly wake = (): void => {
    this.#wake()
  }

  /** Ends what is still in flight. */
  end(): void {
    if (this.#signal !== undefined) removeListener(this.#signal, this.#onAbort)
    removeListener(this.#parts.closing, this.#onClose)
    this.#held.clear()
    if (this.size > 0) this.#abort.abort()
  }

  readonly #onAbort = (): void => {
    this.#stop(abortError(this.#signal!))
    this.#abort.abort(reasonOf(this.#signal!))
  }

  /** The close finishes what is in flight. */
  readonly #onClose = (): void => this.#stop(this.#parts.closing.reason)

  #stop(error: unknown): void {
    this.stopped ??= { error }
    for (const { index } of this.#held) this.#land({ index, value: undefined, error })
    this.#held.clear()
    this.wake()
  }

  #start(item: Held): void {
    const { index, payload } = item
    this.#parts.run(payload, this.#options).then(
      (value) => this.#land({ index, value }),
      (error: unknown) => {
        // A call that did not wait for a place has taken it.
        const waitsAgain = isFull(error) && this.stopped === undefined && !this.#abort.signal.aborted
        if (waitsAgain) this.#enter(item)
        else this.#land({ index, value: undefined, error })
      },
    )
  }

  #land(item: MapItem<unknown>): void {
    this.#done.set(item.index, item)
    this.wake()
  }
}

function isFull(error: unknown): boolean {
  return error instanceof EvenkeelError && error.code === 'EVENKEEL_QUEUE_FULL'
}

function firstOf(items: Map<number, MapItem<unknown>>): MapItem<unknown> | undefined {
  for (const item of items.values()) return item
  return undefined
}

/**
 * One task per item. Options are read at the call; the first pull throws if they are invalid.
 */
export function mapTasks(
  parts: MapParts,
  items: unknown,
  options: unknown,
): AsyncGenerator<MapItem<unknown>, void, undefined> {
  return mapItems(
    parts,
    items,
    readNow(() => resolveMap(options ?? {}, parts.workers)),
  )
}

/**
 * Draws items only as results are taken: at most `concurrency` are drawn and not yet yielded. However it ends, tasks
 * in flight are aborted and the source is closed.
 */
async function* mapItems(
  parts: MapParts,
  items: unknown,
  read: () => ResolvedMap,
): AsyncGenerator<MapItem<unknown>, void, undefined> {
  const resolved = read()
  const flight = new Flight(parts, resolved)
  const source = new MapSource(iteratorOf(items), flight.launch, flight.wake)
  let hasFailed = false
  try {
    flight.follow()
    for (;;) {
      while (flight.takesMore && source.canGive) source.draw()
      const item = flight.take()
      if (item !== undefined) {
        if (resolved.onError === 'throw' && Object.hasOwn(item, 'error')) throw item.error
        yield item
      } else if (source.failure !== undefined) throw source.failure.error
      else if (flight.size > 0) await flight.change()
      else if (source.hasEnded) return
      else if (flight.stopped !== undefined) throw flight.stopped.error
      else await flight.change()
    }
  } catch (error) {
    hasFailed = true
    throw error
  } finally {
    flight.end()
    await source.leave(hasFailed, parts.graceMs, parts.clock)
  }
}

export type ItemIterator = AsyncIterator<unknown> | Iterator<unknown>

/**
 * The source of a map's items: any iterator. It may be slow, it may fail, and the map may end while the source is asked
 * for its next item.
 */
export class MapSource {
  readonly #iterator: ItemIterator
  readonly #take: (item: unknown) => void
  readonly #changed: () => void
  #isAsked = false
  #isLeft = false
  /** It has returned or thrown, so it needs no closing. */
  hasEnded = false
  failure: { readonly error: unknown } | undefined

  /**
   * @param take called with each item
   * @param changed called when an item came after `draw` had returned, or when the source has ended or failed
   */
  constructor(iterator: ItemIterator, take: (item: unknown) => void, changed: () => void) {
    this.#iterator = iterator
    this.#take = take
    this.#changed = changed
  }

  /** Whether it may be asked for an item. */
  get canGive(): boolean {
    return !this.#isAsked && !this.hasEnded && this.failure === undefined
  }

  /** Asks for the next item. A synchronous source gives it at once, without a turn of the microtask queue. */
  draw(): void {
    try {
      const given: unknown = this.#iterator.next()
      if (isThenable(given)) this.#await(given, (result) => this.#read(result), true)
      else this.#read(given)
    } catch (error) {
      this.#fail(error, true)
    }
  }

  /**
   * Closes the source unless it has ended, and waits at most `graceMs` for that. A source that waits for its next
   * item can close only afterwards. Throws the error of closing, unless the map already ends with an error.
   */
  async leave(hasFailed: boolean, graceMs: number, clock: Clock): Promise<void> {
    this.#isLeft = true
    if (this.hasEnded) return
    const failureBefore = this.failure
    try {
      const ended = Promise.resolve(this.#iterator.return?.())
      await within(graceMs, ended, clock)
      if (this.failure !== undefined && this.failure !== failureBefore) throw this.failure.error
    } catch (error) {
      if (!hasFailed) throw error
    }
  }

  #read(result: unknown): void {
    if (typeof result !== 'object' || result === null) {
      throw new TypeError(`a source gave ${String(result)} in place of an iterator result`)
    }
    const { done, value } = result as IteratorResult<unknown>
    if (done) this.hasEnded = true
    // As in a `for await` loop over a list of promises.
    else if (types.isPromise(value)) this.#await(value, (item) => this.#give(item), false)
    else this.#give(value)
  }

  #give(item: unknown): void {
    if (!this.#isLeft) this.#take(item)
  }

  #await(promise: PromiseLike<unknown>, then: (value: unknown) => void, endsIt: boolean): void {
    this.#isAsked = true
    const settled = Promise.resolve(promise).then((value) => {
      this.#isAsked = false
      then(value)
      this.#changed()
    })
    settled.catch((error: unknown) => {
      this.#isAsked = false
      this.#fail(error, endsIt)
    })
  }

  /** @param isOver false when only an item failed: the source is still open then */
  #fail(error: unknown, isOver: boolean): void {
    this.failure ??= { error }
    if (isOver) this.hasEnded = true
    this.#changed()
  }
}

async function within(limitMs: number, promise: Promise<unknown>, clock: Clock): Promise<void> {
  let stop = () => {}
  const late = new Promise<void>((resolve) => {
    if (limitMs < Number.POSITIVE_INFINITY) stop = clock.after(limitMs, resolve).stop
  })
  try {
    await Promise.race([promise, late])
  } finally {
    stop()
  }
}
