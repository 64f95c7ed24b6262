/**
 * A stretch: short records that travel to a worker together and are still done, failed and taken back one by one. The
 * main thread notes where their texts lie in the arena. The worker moves a cursor in shared memory from record to
 * record and leaves each result there. If a record blocks, the main thread takes the records before it as done, and
 * sends the records behind it elsewhere.
 *
 * The cursor has two writers, both by compare-and-swap only. The worker moves it from k to k + 1 after record k. The
 * main thread moves it from k to `REVOKED | k`; after that the worker starts no more records of the stretch. A result
 * is written before the cursor passes it.
 *
 * A slot serves one stretch after another. Its turn word holds the number of the turn, which the stretch's message also
 * carries, and whether a worker is inside. The worker enters by compare-and-swap before it reads or writes anything of
 * the slot, and marks when it leaves. So a late message finds another turn and does nothing. And the main thread knows
 * whether a worker that it gave up may still write.
 */

/**
 * A stretch wakes the worker, then the main thread: some 100 µs of processor time in all when they share processors.
 * Divided among a thousand records, that is less than parsing one.
 */
export const STRETCH_RECORDS = 1024
/** The most text of a stretch that is taken as a whole. */
export const STRETCH_TEXT_BYTES = 2 ** 16
/** Results of a stretch that do not fit travel with the answer. */
export const STRETCH_RESULT_BYTES = 2 ** 18

const REVOKED = 2 ** 20
/** The turn word: the state of the turn (2 bits), the worker inside (10 bits), and the number of the turn. */
const WAITING = 0
const INSIDE = 1
const LEFT = 2
const STATE_BITS = 2
const TURN_BITS = 12
const TURN_STEP = 2 ** TURN_BITS
/** The cursor; the turn; then for each record the start and end of its text; then the end of each result. */
const TURN = 1
const TEXT_WORDS = 2
const RESULT_WORDS = TEXT_WORDS + 2 * STRETCH_RECORDS
/** In whole cache lines. */
const WORDS = Math.ceil((RESULT_WORDS + STRETCH_RECORDS) / 16) * 16
const WORD_BYTES = 4

export function stretchMemoryBytes(slots: number): number {
  return slots * (WORDS * WORD_BYTES + STRETCH_RESULT_BYTES)
}

export class StretchMemory {
  readonly #words: Int32Array
  readonly #results: Buffer
  readonly #slots: number
  readonly #separator: number

  /** `separator` is the byte behind each result. */
  constructor(memory: SharedArrayBuffer, separator: number) {
    this.#separator = separator
    this.#slots = Math.floor(memory.byteLength / stretchMemoryBytes(1))
    const wordBytes = this.#slots * WORDS * WORD_BYTES
    this.#words = new Int32Array(memory, 0, this.#slots * WORDS)
    this.#results = Buffer.from(memory, wordBytes, this.#slots * STRETCH_RESULT_BYTES)
  }

  get slots(): number {
    return this.#slots
  }

  /** Main thread, before the stretch is sent: nothing is done yet. Gives the turn that the worker must name. */
  open(slot: number): number {
    const at = slot * WORDS
    const turn = (turnOf(Atomics.load(this.#words, at + TURN)) + TURN_STEP) | 0
    Atomics.store(this.#words, at, 0)
    Atomics.store(this.#words, at + TURN, turn + WAITING)
    return turn
  }

  /** Worker, before anything else: false when the stretch was given up meanwhile. */
  enter(slot: number, turn: number, worker: number): boolean {
    const inside = turn + (worker << STATE_BITS) + INSIDE
    return Atomics.compareExchange(this.#words, slot * WORDS + TURN, turn + WAITING, inside) === turn + WAITING
  }

  /** Worker: it neither reads nor writes anything of the slot any more. */
  leave(slot: number, turn: number): void {
    Atomics.store(this.#words, slot * WORDS + TURN, turn + LEFT)
  }

  /** Main thread: nobody may enter any more. Gives the worker that is in it, or `undefined`. */
  close(slot: number): number | undefined {
    const at = slot * WORDS + TURN
    const turn = turnOf(Atomics.load(this.#words, at))
    const found = Atomics.compareExchange(this.#words, at, turn + WAITING, turn + LEFT) - turn
    return (found & (2 ** STATE_BITS - 1)) === INSIDE ? found >> STATE_BITS : undefined
  }

  /** Main thread, before the stretch is sent: the text of a record, from `start` to before `end` in the arena. */
  place(slot: number, index: number, start: number, end: number): void {
    const at = slot * WORDS + TEXT_WORDS + 2 * index
    this.#words[at] = start
    this.#words[at + 1] = end
  }

  textStart(slot: number, index: number): number {
    return this.#words[slot * WORDS + TEXT_WORDS + 2 * index]!
  }

  textEnd(slot: number, index: number): number {
    return this.#words[slot * WORDS + TEXT_WORDS + 2 * index + 1]!
  }

  /** Worker: moves the cursor past record `index`, which is done. False when the stretch was revoked. */
  pass(slot: number, index: number): boolean {
    return Atomics.compareExchange(this.#words, slot * WORDS, index, index + 1) === index
  }

  /** How many records are done; the next one may be running. */
  done(slot: number): number {
    return Atomics.load(this.#words, slot * WORDS) % REVOKED
  }

  /** Main thread: stops the stretch behind the record that runs. Gives how many are done. */
  end(slot: number): number {
    let done = this.revoke(slot)
    while (done < 0) done = this.revoke(slot)
    return done
  }

  /** Main thread: one attempt of `end`. If the cursor moved meanwhile, nothing changes and this gives -1. */
  revoke(slot: number): number {
    const at = slot * WORDS
    const done = Atomics.load(this.#words, at)
    if (done >= REVOKED) return done % REVOKED
    return Atomics.compareExchange(this.#words, at, done, REVOKED + done) === done ? done : -1
  }

  /**
   * Worker: puts a line and its separator behind the ones before it. False when it does not fit or there is none: then
   * the result must travel with the answer.
   */
  write(slot: number, index: number, line: string | undefined): boolean {
    const from = this.#end(slot, index - 1)
    const at = slot * WORDS + RESULT_WORDS + index
    // Three bytes for each unit of UTF-16 are the most that UTF-8 takes.
    if (line === undefined || from + line.length * 3 + 1 > STRETCH_RESULT_BYTES) {
      // A complemented (negative) end marks a result that is not here.
      this.#words[at] = ~from
      return false
    }
    const start = slot * STRETCH_RESULT_BYTES
    const end = from + this.#results.write(line, start + from)
    this.#results[start + end] = this.#separator
    this.#words[at] = end + 1
    return true
  }

  /** Main thread: the line of a record that is done, or `undefined` when its result travels with the answer. */
  line(slot: number, index: number): string | undefined {
    if (this.#words[slot * WORDS + RESULT_WORDS + index]! < 0) return undefined
    const start = slot * STRETCH_RESULT_BYTES
    return this.#results.toString('utf8', start + this.#end(slot, index - 1), start + this.#end(slot, index) - 1)
  }

  /**
   * Main thread: the lines of the first `count` records, each with its separator; valid until the slot is used again.
   */
  lines(slot: number, count: number): Buffer {
    const start = slot * STRETCH_RESULT_BYTES
    return this.#results.subarray(start, start + this.#end(slot, count - 1))
  }

  #end(slot: number, index: number): number {
    const end = index < 0 ? 0 : this.#words[slot * WORDS + RESULT_WORDS + index]!
    return end < 0 ? ~end : end
  }
}

function turnOf(word: number): number {
  return word & ~(TURN_STEP - 1)
}
