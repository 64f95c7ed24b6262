/** Server-sent events: four times a second one message to all clients, and nothing without clients. */

import type { ServerResponse } from 'node:http'
import type { Clock, Timer } from '../base/clock.js'

/** The most clients at a time. */
export const MAX_CLIENTS = 16
/** Time between two messages, ms. */
export const PERIOD_MS = 250
/** A client whose connection broke reconnects after this, ms. */
const RETRY_MS = 1_000
/** A client that leaves more than this unread is disconnected, bytes. Its browser reconnects when it runs again. */
const MAX_UNREAD_BYTES = 1 << 20

/** The source of the messages. */
export interface MessageSource {
  /** The first message for a new client. */
  whole(): unknown
  /** The next message for all clients. */
  next(): unknown
}

export class EventStream {
  readonly #source: MessageSource
  readonly #clock: Clock
  readonly #clients = new Set<ServerResponse>()
  #timer: Timer | undefined

  constructor(source: MessageSource, clock: Clock) {
    this.#source = source
    this.#clock = clock
  }

  get clients(): number {
    return this.#clients.size
  }

  /** Sends to the client until it leaves. False, and nothing written, when there are too many clients. */
  add(response: ServerResponse): boolean {
    if (this.#clients.size >= MAX_CLIENTS) return false
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    response.write(`retry: ${RETRY_MS}\n${eventOf(this.#source.whole())}`)
    response.once('close', () => this.#remove(response))
    this.#clients.add(response)
    if (this.#timer === undefined) {
      this.#timer = this.#clock.every(PERIOD_MS, () => this.#send())
      this.#timer.unref()
    }
    return true
  }

  /** Ends all connections. */
  close(): void {
    for (const client of this.#clients) {
      this.#remove(client)
      client.end()
    }
  }

  #send(): void {
    const message = eventOf(this.#source.next())
    for (const client of this.#clients) {
      if (client.writableLength > MAX_UNREAD_BYTES) client.destroy()
      else client.write(message)
    }
  }

  #remove(client: ServerResponse): void {
    this.#clients.delete(client)
    if (this.#clients.size > 0) return
    this.#timer?.stop()
    this.#timer = undefined
  }
}

function eventOf(message: unknown): string {
  return `data: ${JSON.stringify(message)}\n\n`
}
