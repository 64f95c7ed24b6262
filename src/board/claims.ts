/**
 * The life of a claim word. `README.md` beside this file has the protocol, its races, and why no task is lost or
 * doubled.
 *
 * A word is `generation << 3 | state`. It is changed by compare-and-swap, except for two stores at times when there is
 * no other writer: `post` (the word is free, its message not yet sent) and `free` (the message was answered, so the
 * worker will not touch the word again).
 *
 * A key names a word and its generation: `generation << 9 | index`, at most 27 bits, so that it stays a small integer.
 */

import { CLAIMS_PER_LANE } from './layout.js'

export const FREE = 0
/** The dispatcher sent the task. It is not started. */
export const POSTED = 1
/** The worker started it. */
export const CLAIMED = 2
/** The worker finished it. The answer is in its outbox, in the port, or delivered. */
export const DONE = 3
/** The dispatcher took it back before it was started. */
export const REVOKED = 4
/** The dispatcher asked the running task to end. */
export const ABORTING = 5
/** The thread is about to be terminated. The worker must claim nothing more. */
export const DOOMED = 6

const STATE_BITS = 3
const STATE_MASK = (1 << STATE_BITS) - 1
const INDEX_BITS = Math.log2(CLAIMS_PER_LANE)
const INDEX_MASK = CLAIMS_PER_LANE - 1
/** 18 bits. Words are never reused early (`README.md#races`); the generation only checks that. */
const GENERATION_MASK = (1 << 18) - 1

export function keyOf(index: number, generation: number): number {
  return (generation << INDEX_BITS) | index
}

export function indexOf(key: number): number {
  return key & INDEX_MASK
}

function word(key: number, state: number): number {
  return ((key >>> INDEX_BITS) << STATE_BITS) | state
}

/** The state of the word that `key` names, or -1 when the word has moved on to another generation. */
export function stateOf(words: Int32Array, key: number): number {
  const value = Atomics.load(words, key & INDEX_MASK)
  return value >> STATE_BITS === key >>> INDEX_BITS ? value & STATE_MASK : -1
}

/** Generation and state of a word. */
export function wordOf(words: Int32Array, index: number): { generation: number; state: number } {
  const value = Atomics.load(words, index)
  return { generation: value >> STATE_BITS, state: value & STATE_MASK }
}

/** Whether the word's task, of any generation, was started and has not ended. */
export function isStarted(words: Int32Array, index: number): boolean {
  const state = Atomics.load(words, index) & STATE_MASK
  return state === CLAIMED || state === ABORTING || state === DOOMED
}

function swap(words: Int32Array, key: number, from: number, to: number): boolean {
  const expected = word(key, from)
  return Atomics.compareExchange(words, key & INDEX_MASK, expected, word(key, to)) === expected
}

/**
 * Dispatcher: takes the next generation of a free word into use and returns its key. The message is sent afterwards.
 */
export function post(words: Int32Array, index: number): number {
  const previous = words[index]
  if ((previous & STATE_MASK) !== FREE) throw new Error(`claim word ${index} is in use (${previous & STATE_MASK})`)
  const key = keyOf(index, ((previous >> STATE_BITS) + 1) & GENERATION_MASK)
  Atomics.store(words, index, word(key, POSTED))
  return key
}

/** Dispatcher: returns a word whose message the worker has answered. */
export function free(words: Int32Array, key: number): void {
  const state = stateOf(words, key)
  if (state !== DONE && state !== REVOKED)
    throw new Error(`claim word ${indexOf(key)} answered while in state ${state}`)
  Atomics.store(words, key & INDEX_MASK, word(key, FREE))
}

/** Worker: true when it may run the task, false when the task was taken back and must be skipped. */
export function claim(words: Int32Array, key: number): boolean {
  return swap(words, key, POSTED, CLAIMED)
}

/** Worker: false when the thread is doomed. Then it must neither answer nor claim any more. */
export function finish(words: Int32Array, key: number): boolean {
  return swap(words, key, CLAIMED, DONE) || swap(words, key, ABORTING, DONE)
}

/** Dispatcher: true when this worker will not start the task, false when it already has. */
export function revoke(words: Int32Array, key: number): boolean {
  return swap(words, key, POSTED, REVOKED)
}

/** Dispatcher: asks a running task to end. False when it is not running. */
export function askToEnd(words: Int32Array, key: number): boolean {
  return swap(words, key, CLAIMED, ABORTING)
}

/** Dispatcher, before it terminates the thread: true when the running task can no longer finish. */
export function doom(words: Int32Array, key: number): boolean {
  return swap(words, key, CLAIMED, DOOMED) || swap(words, key, ABORTING, DOOMED)
}
