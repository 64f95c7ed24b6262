/** The signals of a running command: those that stop the run, and those that ask for a report. */

export interface RunSignalHandlers {
  /** The first signal: start nothing more, finish what runs. */
  drain(signal: NodeJS.Signals): void
  /** The second: end what runs. */
  abort(signal: NodeJS.Signals): void
}

/** The used part of `process`. */
export interface SignalSource {
  readonly pid: number
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown
  kill(pid: number, signal: NodeJS.Signals): unknown
}

const STOPPING = ['SIGINT', 'SIGTERM'] as const

/** Signals that stop a run: the first drains it, the second aborts it, the third ends the process. */
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
      // Without a listener the signal ends the process. `process.exit` would wait for a write to a pipe that nobody
      // reads.
      this.release()
      this.#source.kill(this.#source.pid, signal)
    }
  }
}

/** The used part of `process`. For a signal that the system does not have, Node adds an ordinary listener. */
export interface ReportSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown
}

/** SIGINFO (Ctrl-T) exists on macOS and the BSDs. SIGUSR1 is Node's own: it opens the debugger. */
const ASKING = ['SIGUSR2', 'SIGINFO'] as const

/** Signals that ask a running command for a report. */
export class ReportSignals {
  #report: () => void

  /**
   * Listens as long as the process lives. Without a listener SIGUSR2 ends the process, and one sent a moment too early
   * or too late must not. A listener does not keep the process alive.
   */
  constructor(source: ReportSource, report: () => void) {
    this.#report = report
    for (const signal of ASKING) source.on(signal, () => this.#report())
  }

  /** Sets the function that a signal calls. */
  use(report: () => void): void {
    this.#report = report
  }
}
