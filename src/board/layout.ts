/**
 * The one place that knows where a number stands in shared memory.
 *
 * A board belongs to one life of one thread: the thread allocates it at start and sends it with its hello, so a
 * replacement can never read or write the words of its predecessor. It holds one row (how the worker is doing),
 * then five words per claim index:
 *
 * | words                | written by                        | meaning                                                  |
 * |----------------------|-----------------------------------|----------------------------------------------------------|
 * | `row[…]`             | worker                            | see the constants below                                  |
 * | `state[index]`       | both, by compare-and-swap only    | generation and claim state, see `claims.ts`              |
 * | `startedAt[index]`   | worker, before it claims          | time of the claim, ticks                                 |
 * | `runUs[index]`       | worker, before it marks done      | run time of the finished task, µs (saturating)           |
 * | `answer[index]`      | worker, before it sends           | number of the message that carries the answer            |
 * | `said[index]`        | worker, after it sent             | items and progress values that the task has sent         |
 *
 * Times are ticks: Int32 of 0.1 ms of the shared monotonic clock. They wrap after 2.5 days, so two of them are
 * compared as `(a - b) | 0` and never by `<`.
 */

/** Claim words of one lane. Twice the largest window, so that words still held by revoked messages do not eat into it. */
export const CLAIMS_PER_LANE = 512

/** The most tasks a lane may hold posted. */
export const MAX_WINDOW = CLAIMS_PER_LANE / 2

/** Time of the last claim or finish of a CPU task, ticks: progress. */
export const ROW_STAMP = 0
/** Time of the last beat, ticks: the event loop turned. */
export const ROW_BEAT = 1
/** How late the last beat came, ticks. */
export const ROW_LAG = 2
/** Claim index of the CPU task that holds the turn, or -1. */
export const ROW_RUNNING = 3
/** 1 while anything is accepted and unfinished; 0 on an idle row, which is never stalled. */
export const ROW_ACTIVE = 4
/** CPU tasks waiting or running, as of the last beat. */
export const ROW_REPORTED_CPU = 5
/** I/O tasks waiting or running, as of the last beat. */
export const ROW_REPORTED_IO = 6
/** Heap in use, KiB, as of the last beat. */
export const ROW_HEAP_KIB = 7
/** Heap limit of the thread, KiB. */
export const ROW_HEAP_LIMIT_KIB = 8
/** Who brought the thread down: 0 unknown (no JavaScript ran at its end), -1 nobody's task, else key + 1. */
export const ROW_CULPRIT = 9
/** Tasks started in this life; wraps. */
export const ROW_STARTED = 10
/** Time of the last claim or finish of an I/O task, ticks. Apart from the CPU stamp, so that I/O never hides a stuck turn. */
export const ROW_IO_STAMP = 11

/** 1 while the worker writes a value that may be large into a message: nothing is stamped meanwhile, and nothing is wrong. */
export const ROW_SENDING = 12

/** The row is padded to two cache lines, so that a beat does not disturb the claim words beside it. */
const ROW_WORDS = 32

export interface Board {
  readonly buffer: SharedArrayBuffer
  readonly row: Int32Array
  readonly state: Int32Array
  readonly startedAt: Int32Array
  readonly runUs: Int32Array
  readonly answer: Int32Array
  readonly said: Int32Array
}

/** Views on a board; without a buffer, a fresh one with `claims` words. */
export function boardOf(buffer?: SharedArrayBuffer, claims = CLAIMS_PER_LANE): Board {
  const shared = buffer ?? new SharedArrayBuffer((ROW_WORDS + 5 * claims) * Int32Array.BYTES_PER_ELEMENT)
  const words = (first: number, count: number) => new Int32Array(shared, first * Int32Array.BYTES_PER_ELEMENT, count)
  return {
    buffer: shared,
    row: words(0, ROW_WORDS),
    state: words(ROW_WORDS, claims),
    startedAt: words(ROW_WORDS + claims, claims),
    runUs: words(ROW_WORDS + 2 * claims, claims),
    answer: words(ROW_WORDS + 3 * claims, claims),
    said: words(ROW_WORDS + 4 * claims, claims),
  }
}

/** Between two beats of a busy worker, ms. */
export const BEAT_PERIOD_MS = 20

/** Ticks per millisecond. */
const TICKS_PER_MS = 10

export function ticksOf(nowMs: number): number {
  return (nowMs * TICKS_PER_MS) | 0
}

/** Milliseconds from one tick to another; negative when `to` is earlier. */
export function ticksBetweenMs(from: number, to: number): number {
  return ((to - from) | 0) / TICKS_PER_MS
}
