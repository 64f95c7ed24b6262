/**
 * A stretch: short records that travel to a worker together and are still done, failed and taken back one by one.
 * The worker moves a cursor in shared memory from record to record and leaves each result there, so that when one of them
 * blocks, the main thread can take what lies before it as done and what lies behind it elsewhere.
 *
 * The cursor has two writers, by compare-and-swap only: the worker moves it from k to k + 1 after record k, the main thread from k
 * to `REVOKED | k`, after which the worker starts nothing more of the stretch. A result is written before the cursor passes it.
 */

export const STRETCH_RECORDS = 64
/** Results of a stretch that do not fit travel with the answer. */
export const STRETCH_RESULT_BYTES = 2 ** 15

const REVOKED = 2 ** 20
/** One word for the cursor, one for the end of each result; rounded up to whole cache lines. */
const WORDS = 80
const WORD_BYTES = 4

export function stretchMemoryBytes(slots: number): number {
  return slots * (WORDS * WORD_BYTES + STRETCH_RESULT_BYTES)
}

export class StretchMemory {
  readonly #words: Int32Array
  readonly #results: Buffer
  readonly #slots: number

  constructor(memory: SharedArrayBuffer) {
    this.#slots = Math.floor(memory.byteLength / stretchMemoryBytes(1))
    const wordBytes = this.#slots * WORDS * WORD_BYTES
    this.#words = new Int32Array(memory, 0, this.#slots * WORDS)
    this.#results = Buffer.from(memory, wordBytes, this.#slots * STRETCH_RESULT_BYTES)
  }

  get slots(): number {
    return this.#slots
  }

  /** Main thread, before the stretch is sent: nothing is done yet. */
  open(slot: number): void {
    Atomics.store(this.#words, slot * WORDS, 0)
  }

  /** Worker: whether the stretch goes on behind record `index`, which is done. */
  pass(slot: number, index: number): boolean {
    return Atomics.compareExchange(this.#words, slot * WORDS, index, index + 1) === index
  }

  /** How many records are done; the next one may be running. */
  done(slot: number): number {
    return Atomics.load(this.#words, slot * WORDS) % REVOKED
  }

  /** Main thread: stops the stretch behind the record that runs. Gives how many are done, or -1 if it moved meanwhile. */
  revoke(slot: number): number {
    const at = slot * WORDS
    const done = Atomics.load(this.#words, at)
    if (done >= REVOKED) return done % REVOKED
    return Atomics.compareExchange(this.#words, at, done, REVOKED + done) === done ? done : -1
  }

  /**
   * Worker: puts a line behind the ones before it. False when it does not fit or there is none: then the result
   * must travel with the answer.
   */
  write(slot: number, index: number, line: string | undefined): boolean {
    const from = this.#end(slot, index - 1)
    const start = slot * STRETCH_RESULT_BYTES
    // Three bytes for each unit of UTF-16 are the most that UTF-8 takes.
    const fits = line !== undefined && from + line.length * 3 <= STRETCH_RESULT_BYTES
    const at = slot * WORDS + 1 + index
    // Ends that are complemented, and so negative, belong to results that are not here.
    this.#words[at] = fits ? from + this.#results.write(line, start + from) : ~from
    return fits
  }

  /** Main thread: the line of a record that is done, or `undefined` when its result travels with the answer. */
  line(slot: number, index: number): string | undefined {
    if (this.#words[slot * WORDS + 1 + index]! < 0) return undefined
    const start = slot * STRETCH_RESULT_BYTES
    return this.#results.toString('utf8', start + this.#end(slot, index - 1), start + this.#end(slot, index))
  }

  #end(slot: number, index: number): number {
    const end = index < 0 ? 0 : this.#words[slot * WORDS + 1 + index]!
    return end < 0 ? ~end : end
  }
}
