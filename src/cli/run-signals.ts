/** Signals that stop a run: the first drains, the second aborts, the third ends the process. */

export interface RunSignalHandlers {
  /** The first signal: start nothing more, finish what runs. */
  drain(signal: NodeJS.Signals): void
  /** The second: end what runs. */
  abort(signal: NodeJS.Signals): void
}

/** What is needed of `process`. */
export interface SignalSource {
  readonly pid: number
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown
  kill(pid: number, signal: NodeJS.Signals): unknown
}

const STOPPING = ['SIGINT', 'SIGTERM'] as const

export class RunSignals {
  /** The first signal that came. */
  first: NodeJS.Signals | undefined
  readonly #source: SignalSource
  readonly #handlers: RunSignalHandlers
  #count = 0

  constructor(source: SignalSource, handlers: RunSignalHandlers) {
    this.#source = source
    this.#handlers = handlers
    for (const signal of STOPPING) source.on(signal, this.#stop)
  }

  release(): void {
    for (const signal of STOPPING) this.#source.off(signal, this.#stop)
  }

  readonly #stop = (signal: NodeJS.Signals): void => {
    this.first ??= signal
    this.#count++
    if (this.#count === 1) this.#handlers.drain(signal)
    else if (this.#count === 2) this.#handlers.abort(signal)
    else {
      // Without a listener the signal does what it does to any process. `process.exit` would wait for a write to a
      // pipe that nobody reads.
      this.release()
      this.#source.kill(this.#source.pid, signal)
    }
  }
}
