/** Those who wait until enough workers have loaded the task module. */

interface Waiter {
  /** Workers that have to be ready. */
  readonly workers: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export class Readiness {
  #waiters: Waiter[] = []

  /** How many wait. */
  get size(): number {
    return this.#waiters.length
  }

  /** Resolves when so many workers are ready, or as many as there may be. */
  wait(workers: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiters.push({ workers, resolve, reject }))
  }

  /** So many are ready, of at most `max`. */
  reached(ready: number, max: number): void {
    const waiters = this.#waiters
    this.#waiters = waiters.filter(({ workers }) => ready < Math.min(workers, max))
    for (const { workers, resolve } of waiters) if (ready >= Math.min(workers, max)) resolve()
  }

  failed(error: Error): void {
    for (const { reject } of this.#waiters.splice(0)) reject(error)
  }
}
