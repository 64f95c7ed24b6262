/** One small piece of the mechanism under the stopwatch. */
export interface MicroBench {
  /** The file of `src` that it measures. */
  readonly source: string
  readonly name: string
  /** What grows, such as the number of workers; cost by size is the point of most of them. */
  readonly size: number
  /** Operations in one call of `call`: enough that reading the clock is no part of the figure. */
  readonly operations: number
  readonly call: () => void
  /** Run before each call, not timed. */
  readonly before?: () => void
}
