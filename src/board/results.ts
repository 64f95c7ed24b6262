/**
 * Results on the board. The worker writes a small result before it marks the task done, so whoever sees the mark can
 * read the result, even while the worker blocks. No finished result is a hostage of the task after it.
 *
 * A number, a boolean, `null` and `undefined` need one word. A text, and a small tree of plain objects and arrays, are
 * written into a ring. A tree is the list of its values (see `small-tree.ts`); its shapes are told once, in a message
 * that is sent before the task is marked done. Everything else travels in a message of its own.
 *
 * Each value in the ring is a tag, one byte, and what the tag asks for. The fewer bytes the better: each line of memory
 * that two processors write and read in turn takes 0.1 µs. A position counts all bytes since the start of the thread, modulo
 * 2^32; the place in the ring is its remainder. Only the worker writes the ring. It finishes tasks in the order in which it writes
 * their results and sends their answers, and the dispatcher takes answers in the order in which they were sent. So
 * everything before the last result taken is free.
 */

import { isLight, NO_TREE, type Shapes, TreeReader, TreeWriter } from '../protocol/small-tree.js'
import { isTransferred } from '../protocol/transfer.js'
import { type Board, RING_BYTES } from './layout.js'

// Where a result is.

/** Not on the board. */
export const IN_MESSAGE = 0
/** Nowhere: it is `undefined`. */
const UNDEFINED = 1
/** In the word `number`. */
const NUMBER = 2
/** It is `null`, `true` or `false`: the word `number` has its tag. */
const CONSTANT = 3
/** In the ring: one text. The word `number` has its position. */
const TEXT = 4
/** In the ring: the values of a tree, as many as the first of them says. */
const TREE = 5

// Tags of values in the ring.

const TAG_UNDEFINED = 0
const TAG_NULL = 1
const TAG_TRUE = 2
const TAG_FALSE = 3
const TAG_INTEGER = 4
const TAG_FRACTION = 5
/** Its digits follow, as a text. */
const TAG_BIGINT = 6
/** A text of characters below 256, one byte each, with one byte for its length. */
const TAG_SHORT_LATIN = 7
/** The same, with four bytes for its length. */
const TAG_LATIN = 8
/** Any text: two bytes a character. */
const TAG_UTF16 = 9
/** This plus an integer from 0 to 127. */
const TAG_SMALL = 128

/** Up to this length a loop over the characters is quicker than calls of `Buffer`: 45 ns. */
const LOOPED_CHARACTERS = 24
/** The bytes of a tag and the length of a text, at most. */
const TEXT_HEAD_BYTES = 5
/**
 * After this many bytes the ring starts over, if most were taken: what was used lately is in the processor's cache. It
 * doubles each time that a result finds no room.
 */
const FIRST_LAP_BYTES = 16_384

interface Ring {
  readonly view: DataView
  readonly bytes: Buffer
}

function ringOf({ buffer, byteOffset, byteLength }: Uint8Array): Ring {
  return { view: new DataView(buffer, byteOffset, byteLength), bytes: Buffer.from(buffer, byteOffset, byteLength) }
}

/** The place of a position in the ring. Positions wrap at 32 bits, of which the size of the ring is a divisor. */
function placeAt(position: number): number {
  return position & (RING_BYTES - 1)
}

type ResultBoard = Pick<Board, 'result' | 'number' | 'ring' | 'taken'>

/** The worker's side. */
export class ResultWriter {
  readonly #result: Int32Array
  readonly #number: Float64Array
  readonly #taken: Int32Array
  readonly #ring: Ring
  readonly #trees = new TreeWriter(true)
  readonly #tellShapes: (shapes: Shapes) => void
  #toldShapes = 0
  /** Position of the next result. */
  #next = 0
  /** The word `taken` as it was read last: reading it takes 0.1 µs when the other side has written. */
  #freeFrom = 0
  #lapBytes = FIRST_LAP_BYTES
  /** Place of what is written next. */
  #at = 0

  /** @param tellShapes sends shapes to the dispatcher, before anything that is sent later */
  constructor(board: ResultBoard, tellShapes: (shapes: Shapes) => void) {
    this.#result = board.result
    this.#number = board.number
    this.#taken = board.taken
    this.#ring = ringOf(board.ring)
    this.#tellShapes = tellShapes
  }

  /**
   * Writes the result of the task at this claim index, and returns where it is. `IN_MESSAGE`: nowhere yet, because it is
   * too large, or only the structured clone can copy it. Getters of the result run here. What they throw is thrown again
   * by that clone.
   */
  write(index: number, value: unknown): number {
    const where = this.#write(index, value)
    this.#result[index] = where
    return where
  }

  /** The task at this claim index failed: the error travels in a message. */
  writeNone(index: number): typeof IN_MESSAGE {
    this.#result[index] = IN_MESSAGE
    return IN_MESSAGE
  }

  #write(index: number, value: unknown): number {
    if (value === undefined) return UNDEFINED
    if (typeof value === 'number') {
      this.#number[index] = value
      return NUMBER
    }
    if (typeof value === 'string') return this.#writeText(index, value)
    if (value === null || typeof value === 'boolean') {
      this.#number[index] = simpleTagOf(value)
      return CONSTANT
    }
    return typeof value === 'object' ? this.#writeTree(index, value) : IN_MESSAGE
  }

  #writeText(index: number, text: string): number {
    if (!isLight(text) || !this.#reserve(index, mostBytesOf(text))) return IN_MESSAGE
    const from = this.#at
    this.#putText(text)
    this.#next = (this.#next + this.#at - from) | 0
    return TEXT
  }

  #writeTree(index: number, value: object): number {
    if (isTransferred(value)) return IN_MESSAGE
    const trees = this.#trees
    if (trees.write(value) === NO_TREE) return IN_MESSAGE
    const values = trees.takeValues()
    const { shapes } = trees
    if (shapes.length > this.#toldShapes) {
      this.#tellShapes(shapes.slice(this.#toldShapes))
      this.#toldShapes = shapes.length
    }
    let bytes = mostBytesOf(values.length)
    for (const member of values) bytes += mostBytesOf(member)
    if (!this.#reserve(index, bytes)) return IN_MESSAGE
    const from = this.#at
    this.#putNumber(values.length)
    for (const member of values) this.#put(member)
    this.#next = (this.#next + this.#at - from) | 0
    return TREE
  }

  /** Finds bytes that follow one another. False when the dispatcher has not yet taken what is there. */
  #reserve(index: number, bytes: number): boolean {
    const at = placeAt(this.#next)
    const nextLap = (this.#next - at + RING_BYTES) | 0
    let position = at + bytes > RING_BYTES ? nextLap : this.#next
    if (at > this.#lapBytes || this.#inUse(position) + bytes > RING_BYTES) {
      this.#freeFrom = Atomics.load(this.#taken, 0)
      const isMostTaken = at > this.#lapBytes && this.#inUse(this.#next) * 4 < at
      if (isMostTaken && this.#inUse(nextLap) + bytes <= RING_BYTES) position = nextLap
      if (this.#inUse(position) + bytes > RING_BYTES) {
        this.#lapBytes *= 2
        return false
      }
    }
    this.#number[index] = position
    this.#next = position
    this.#at = placeAt(position)
    return true
  }

  /** Bytes before this position that the dispatcher has not taken. */
  #inUse(position: number): number {
    return (position - this.#freeFrom) | 0
  }

  #put(value: unknown): void {
    if (typeof value === 'number') this.#putNumber(value)
    else if (typeof value === 'string') this.#putText(value)
    else if (typeof value === 'bigint') {
      this.#ring.bytes[this.#at++] = TAG_BIGINT
      this.#putText(value.toString())
    } else this.#ring.bytes[this.#at++] = simpleTagOf(value)
  }

  #putNumber(value: number): void {
    const { view } = this.#ring
    // Not -0, which is no integer here.
    if ((value | 0) !== value || Object.is(value, -0)) {
      view.setUint8(this.#at, TAG_FRACTION)
      view.setFloat64(this.#at + 1, value)
      this.#at += 9
    } else if (value >= 0 && value < TAG_SMALL) view.setUint8(this.#at++, TAG_SMALL + value)
    else {
      view.setUint8(this.#at, TAG_INTEGER)
      view.setInt32(this.#at + 1, value)
      this.#at += 5
    }
  }

  #putText(text: string): void {
    const { bytes, view } = this.#ring
    const { length } = text
    if (length <= LOOPED_CHARACTERS) {
      const from = this.#at + 2
      let bits = 0
      for (let place = 0; place < length; place++) {
        const code = text.charCodeAt(place)
        bits |= code
        bytes[from + place] = code
      }
      if (bits < 256) {
        view.setUint8(this.#at, TAG_SHORT_LATIN)
        view.setUint8(this.#at + 1, length)
        this.#at = from + length
        return
      }
    }
    const from = this.#at + TEXT_HEAD_BYTES
    // UTF-8 has as many bytes as characters when all are ASCII, and only then. Room for one more shows any other.
    const isAscii = length > LOOPED_CHARACTERS && bytes.write(text, from, length + 4, 'utf8') === length
    view.setUint8(this.#at, isAscii ? TAG_LATIN : TAG_UTF16)
    view.setUint32(this.#at + 1, length)
    this.#at = from + (isAscii ? length : bytes.write(text, from, 'utf16le'))
  }
}

/** The most bytes that a primitive needs. */
function mostBytesOf(value: unknown): number {
  if (typeof value === 'number') return 9
  if (typeof value === 'string') return TEXT_HEAD_BYTES + 2 * value.length
  return typeof value === 'bigint' ? 1 + mostBytesOf(value.toString()) : 1
}

function simpleTagOf(value: unknown): number {
  if (value === undefined) return TAG_UNDEFINED
  if (value === null) return TAG_NULL
  return value === true ? TAG_TRUE : TAG_FALSE
}

/** The dispatcher's side. */
export class ResultReader {
  readonly #result: Int32Array
  readonly #number: Float64Array
  readonly #taken: Int32Array
  readonly #ring: Ring
  readonly #trees = new TreeReader()
  /** Place of what is read next. */
  #at = 0
  /** Everything before this position was taken. */
  #takenTo = 0

  constructor(board: ResultBoard) {
    this.#result = board.result
    this.#number = board.number
    this.#taken = board.taken
    this.#ring = ringOf(board.ring)
  }

  learn(shapes: Shapes): void {
    this.#trees.learn(shapes)
  }

  /** Where the result of the finished task at this claim index is. */
  placeOf(index: number): number {
    return this.#result[index]
  }

  /** The result of the finished task at this claim index, which is on the board. */
  read(index: number, where: number): unknown {
    if (where === UNDEFINED) return undefined
    const number = this.#number[index]
    if (where === NUMBER) return number
    if (where === CONSTANT) return simpleOf(number)
    this.#at = placeAt(number)
    if (where === TEXT) return this.#read()
    const values = new Array<unknown>(this.#read() as number)
    for (let member = 0; member < values.length; member++) values[member] = this.#read()
    return this.#trees.read(values, 0)
  }

  /** As `read`, in the order of the answers: this result, and all before it, will not be read again. */
  take(index: number, where: number): unknown {
    const value = this.read(index, where)
    if (where >= TEXT) {
      const position = this.#number[index]
      this.#takenTo = (position + this.#at - placeAt(position)) | 0
    }
    return value
  }

  /** Lets the worker use the bytes of all results taken. Once for many, because it waits when the other side writes. */
  release(): void {
    Atomics.store(this.#taken, 0, this.#takenTo)
  }

  #read(): unknown {
    const { view } = this.#ring
    const tag = view.getUint8(this.#at++)
    if (tag >= TAG_SMALL) return tag - TAG_SMALL
    switch (tag) {
      case TAG_INTEGER:
        this.#at += 4
        return view.getInt32(this.#at - 4)
      case TAG_FRACTION:
        this.#at += 8
        return view.getFloat64(this.#at - 8)
      case TAG_SHORT_LATIN:
        return this.#readText(view.getUint8(this.#at++), 1)
      case TAG_LATIN:
      case TAG_UTF16:
        this.#at += 4
        return this.#readText(view.getUint32(this.#at - 4), tag === TAG_LATIN ? 1 : 2)
      case TAG_BIGINT:
        return BigInt(this.#read() as string)
      default:
        return simpleOf(tag)
    }
  }

  #readText(length: number, bytesEach: 1 | 2): string {
    const from = this.#at
    this.#at += length * bytesEach
    return this.#ring.bytes.toString(bytesEach === 1 ? 'latin1' : 'utf16le', from, this.#at)
  }
}

function simpleOf(tag: number): undefined | null | boolean {
  if (tag === TAG_UNDEFINED) return undefined
  return tag === TAG_NULL ? null : tag === TAG_TRUE
}
