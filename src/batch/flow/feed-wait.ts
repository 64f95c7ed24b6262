/** What the feed of a run waits for, one thing at a time: room, or a step of its own, or a stop. */

export class FeedWait {
  #wakeSleeper: (() => void) | undefined
  #onStop: (() => void) | undefined

  get isAsleep(): boolean {
    return this.#wakeSleeper !== undefined
  }

  /** Waits for the next `wake` or `stop`. */
  sleep(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeSleeper = resolve
    })
  }

  wake(): void {
    this.#wakeSleeper?.()
    this.#wakeSleeper = undefined
  }

  /**
   * Waits for `promise` or a stop, which gives `undefined`. `Promise.race` with one promise for the stop would keep a
   * reaction of every wait until the end of the run.
   */
  unlessStopped<T>(promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      this.#onStop = () => resolve(undefined)
      promise.then(resolve, reject)
    })
  }

  /** Ends the wait under way. */
  stop(): void {
    this.#onStop?.()
    this.wake()
  }
}
