/** Those who wait until enough workers have loaded the task module. */

export class Readiness {
  #waiters: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []

  /** How many wait. */
  get size(): number {
    return this.#waiters.length
  }

  wait(): Promise<void> {
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }))
  }

  reached(): void {
    for (const { resolve } of this.#waiters.splice(0)) resolve()
  }

  failed(error: Error): void {
    for (const { reject } of this.#waiters.splice(0)) reject(error)
  }
}
