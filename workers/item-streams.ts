/**
 * Tasks that yield items instead of one result. The caller pulls: each item needs a credit from the caller, so a slow
 * caller makes the task wait and is never more than a few items behind. Ending the task early closes the iterator, as
 * leaving a `for` loop would.
 */

import { STREAM_CREDITS } from '../src/protocol/control.js'
import type { SideMessages } from './side-messages.js'
import type { TaskContext } from './task-context.js'
import type { RegisteredTask } from './task-registry.js'

/** The credits that are left, and the sender that waits for one. */
class Credits {
  #left = STREAM_CREDITS
  #wake: () => void = () => {}

  add(count: number): void {
    this.#left += count
    this.#wake()
  }

  /** Wakes the waiting sender although it has no credit. */
  interrupt(): void {
    this.#wake()
  }

  /** Spends a credit. Resolves when there is another, or at an interruption. */
  async spend(): Promise<void> {
    if (--this.#left > 0) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }
}

export class ItemStreams {
  readonly #messages: SideMessages
  readonly #open = new Map<number, Credits>()

  constructor(messages: SideMessages) {
    this.#messages = messages
  }

  /** Runs the task and sends its items. Resolves at its end; rejects with what it throws. */
  async run(task: RegisteredTask, payload: unknown, context: TaskContext): Promise<void> {
    const credits = new Credits()
    this.#open.set(context.key, credits)
    context.signal.addEventListener('abort', () => credits.interrupt())
    try {
      const items = await task.run(payload, context)
      if (!isIterable(items)) throw new TypeError(`task "${task.name}" returned nothing to iterate over: use run()`)
      for await (const item of items) {
        if (context.aborted) return
        this.#messages.send('item', context.key, item)
        await credits.spend()
        if (context.aborted) return
      }
    } finally {
      this.#open.delete(context.key)
    }
  }

  /** The caller has taken `count` items. */
  credit(key: number, count: number): void {
    this.#open.get(key)?.add(count)
  }
}

function isIterable(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  if (typeof value !== 'object' || value === null) return false
  return Symbol.asyncIterator in value || Symbol.iterator in value
}
