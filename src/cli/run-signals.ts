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

/**
 * Signals that ask a running command how it goes: SIGUSR2 everywhere, and SIGINFO (Ctrl-T) where the system has it,
 * which is on macOS and the BSDs. SIGUSR1 stays Node's own: it opens the debugger.
 */

/** What is needed of `process`; Node takes a name that the system does not have for that of an ordinary event. */
export interface ReportSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown
}

const ASKING = ['SIGUSR2', 'SIGINFO'] as const

export class ReportSignals {
  #report: () => void

  /**
   * Listens from now on and for as long as the process lives, since SIGUSR2 ends a process that does not listen: one
   * sent a moment too early or too late must not. A listener does not hold the process.
   */
  constructor(source: ReportSource, report: () => void) {
    this.#report = report
    for (const signal of ASKING) source.on(signal, () => this.#report())
  }

  /** From now on this is what a signal calls. */
  use(report: () => void): void {
    this.#report = report
  }
}
