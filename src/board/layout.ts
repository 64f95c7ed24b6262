/**
 * The layout of shared memory. No other file knows where a number is.
 *
 * A board belongs to one life of one thread. The thread allocates it at start and sends it with its hello, so a
 * replacement can never read or write its predecessor's words. It holds one row (the state of the worker), then eight
 * words per claim index, and a ring for results:
 *
 * | words                | written by                        | meaning                                                  |
 * |----------------------|-----------------------------------|----------------------------------------------------------|
 * | `row[…]`             | worker                            | see the constants below                                  |
 * | `startedAt[index]`   | worker, before it claims          | time of the claim, ms                                    |
 * | `runUs[index]`       | worker, before it marks done      | run time of the finished task, µs                        |
 * | `state[index]`       | both, by compare-and-swap only    | generation and claim state, see `claims.ts`              |
 * | `answer[index]`      | worker, before it sends           | number of the message that carries the answer            |
 * | `said[index]`        | worker, after it sent             | items and progress values that the task has sent         |
 * | `saidIn[index]`      | worker, before it sends           | number of the message that carries the last of them      |
 * | `result[index]`      | worker, before it marks done      | where the result is, see `results.ts`                    |
 * | `number[index]`      | worker, before it marks done      | the result, if it is a number, or its position           |
 * | `ring`               | worker, before it marks done      | results that are texts or trees                          |
 * | `taken`              | dispatcher                        | the position before which the ring is free               |
 *
 * Times and growing counts are Float64, so they never wrap. Times are of the clock that all threads share. `startedAt`
 * and `runUs` are always read whole, because a swap of the state follows them. A time of the row may be read while it
 * is written. A 64-bit machine never shows half a store; on others one read may see a wrong time.
 */

/** Claim words of one lane: twice the largest window, because revoked messages still hold words. */
export const CLAIMS_PER_LANE = 512

/** The most tasks a lane may hold posted. */
export const MAX_WINDOW = CLAIMS_PER_LANE / 2

/** Claim index of the CPU task that holds the turn, or -1. */
export const ROW_RUNNING = 0
/** 1 while the worker has unfinished tasks. 0 when it is idle; an idle worker is never stalled. */
export const ROW_ACTIVE = 1
/** CPU tasks waiting or running, as of the last beat. */
export const ROW_REPORTED_CPU = 2
/** I/O tasks waiting or running, as of the last beat. */
export const ROW_REPORTED_IO = 3
/** Heap in use, KiB, as of the last beat. */
export const ROW_HEAP_KIB = 4
/** Heap limit of the thread, KiB. */
export const ROW_HEAP_LIMIT_KIB = 5
/** The task whose code ended the thread, as key + 1. -1: no task; 0: unknown, because no JavaScript ran at the end. */
export const ROW_CULPRIT = 6
/** 1 while the worker writes a value that may be large into a message. Without a stamp meanwhile, it is not stalled. */
export const ROW_SENDING = 7

/** 1 while the worker keeps answers and runs tasks. 0 while they wait for printed output, which goes first. */
export const ROW_KEEPING = 8

/** Start of the Float64 half of the row, in Int32 words. It has its own cache line. */
const WIDE_FROM = 16
const WIDE_WORDS = 8

// Indices in the Float64 half.

/** Time of the last progress, ms: a CPU task was claimed or finished, or a message with some was read. */
export const WIDE_STAMP = 0
/** The same for I/O tasks. It is separate, so that I/O never hides a stuck CPU task. */
export const WIDE_IO_STAMP = 1
/** Time of the last beat, ms: the event loop turned. */
export const WIDE_BEAT = 2
/** How late the last beat came, ms. */
export const WIDE_LAG = 3
/** Tasks started in this life. */
export const WIDE_STARTED = 4

/** Float64 and Int32 words per claim index. */
const WIDE_KINDS = 3
const WORD_KINDS = 5

/** The row is padded to two cache lines, so that a beat does not slow access to the claim words after it. */
const ROW_WORDS = 32

/**
 * Size of the ring, a power of two. Memory that no result needs stays untouched. A full window of texts of 4,000 characters has room. A
 * result that finds no room travels in a message.
 */
export const RING_BYTES = 2 ** 20
/** `taken` has a cache line of its own. */
const TAKEN_WORDS = 16

export interface Board {
  readonly buffer: SharedArrayBuffer
  readonly row: Int32Array
  readonly startedAt: Float64Array
  readonly runUs: Float64Array
  readonly state: Int32Array
  readonly answer: Int32Array
  readonly said: Int32Array
  readonly saidIn: Int32Array
  readonly result: Int32Array
  readonly number: Float64Array
  readonly ring: Uint8Array
  readonly taken: Int32Array
}

/** Views on a board. Without a buffer, a new one with `claims` words is made. */
export function boardOf(buffer?: SharedArrayBuffer, claims = CLAIMS_PER_LANE): Board {
  const rowBytes = ROW_WORDS * Int32Array.BYTES_PER_ELEMENT
  const wideBytes = claims * Float64Array.BYTES_PER_ELEMENT
  const wordBytes = claims * Int32Array.BYTES_PER_ELEMENT
  const takenFrom = rowBytes + WIDE_KINDS * wideBytes
  const wordsFrom = takenFrom + TAKEN_WORDS * Int32Array.BYTES_PER_ELEMENT
  const ringFrom = wordsFrom + WORD_KINDS * wordBytes
  const shared = buffer ?? new SharedArrayBuffer(ringFrom + RING_BYTES)
  const wide = (place: number) => new Float64Array(shared, rowBytes + place * wideBytes, claims)
  const words = (place: number) => new Int32Array(shared, wordsFrom + place * wordBytes, claims)
  return {
    buffer: shared,
    row: new Int32Array(shared, 0, ROW_WORDS),
    startedAt: wide(0),
    runUs: wide(1),
    state: words(0),
    answer: words(1),
    said: words(2),
    saidIn: words(3),
    result: words(4),
    number: wide(2),
    ring: new Uint8Array(shared, ringFrom, RING_BYTES),
    taken: new Int32Array(shared, takenFrom, TAKEN_WORDS),
  }
}

/** The Float64 half of a row. */
export function wideOf(row: Int32Array): Float64Array {
  return new Float64Array(row.buffer, row.byteOffset + WIDE_FROM * Int32Array.BYTES_PER_ELEMENT, WIDE_WORDS)
}

/** Time between two beats of a busy worker, ms. */
export const BEAT_PERIOD_MS = 20
