/**
 * A message port whose two ends count the messages. A message that cannot be read (nested too deeply for this side's
 * stack, too large for its memory) arrives as an error without its content. Its number identifies it: each side knows
 * what it sent under which number. Numbers start with 1.
 */

import { type MessagePort, receiveMessageOnPort, type TransferListItem } from 'node:worker_threads'

export interface PortReader {
  message(message: unknown): void
  /** The message of this number could not be read, for the reason `error`. */
  unreadable(number: number, error: unknown): void
}

export class CountedPort {
  readonly #port: MessagePort
  #reader: PortReader | undefined
  #sent = 0
  #received = 0

  constructor(port: MessagePort) {
    this.#port = port
  }

  /** The number of the next message to be sent. */
  get next(): number {
    return (this.#sent + 1) | 0
  }

  /** Throws and sends nothing when the message cannot be cloned. */
  post(message: unknown, transfer?: readonly TransferListItem[]): void {
    this.#port.postMessage(message, transfer)
    this.#sent = this.next
  }

  /** Passes every message from now on to the reader, in order. */
  listen(reader: PortReader): void {
    this.#reader = reader
    this.#port.on('message', (message: unknown) => this.#take(message))
    this.#port.on('messageerror', (error: unknown) => this.#lose(error))
  }

  /** Passes on the messages that are in the port, without waiting for its events. */
  read(): void {
    for (;;) {
      let entry: { message: unknown } | undefined
      try {
        entry = receiveMessageOnPort(this.#port)
      } catch (error) {
        // The message has left the port anyway.
        this.#lose(error)
        continue
      }
      if (entry === undefined) return
      this.#take(entry.message)
    }
  }

  unref(): void {
    this.#port.unref()
  }

  close(): void {
    this.#port.close()
  }

  #take(message: unknown): void {
    this.#received = (this.#received + 1) | 0
    this.#reader?.message(message)
  }

  #lose(error: unknown): void {
    this.#received = (this.#received + 1) | 0
    this.#reader?.unreadable(this.#received, error)
  }
}
