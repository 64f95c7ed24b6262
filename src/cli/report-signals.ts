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
