/**
 * Real threads on one board: this one posts and takes back, the other claims, as fast as both can. What each task
 * went through is counted in shared memory, so a task that was doubled or lost shows.
 */

import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.js'
import { DONE, free, indexOf, post, REVOKED, revoke, stateOf } from '../../src/board/claims.js'
import { boardOf } from '../../src/board/layout.js'

const builtClaims = new URL('../../dist/src/board/claims.js', import.meta.url).href
const builtLayout = new URL('../../dist/src/board/layout.js', import.meta.url).href

const TASKS = 120_000
/** Of the ring that carries keys to the worker; the worker follows the dispatcher through it. */
const RING = 64
const WORDS = 64

const HEAD = 0
const TAIL = 1
const STOP = 2
const READY = 3

/** Claims whatever stands in the ring, oldest first; counts the starts of each task, and says how far it is. */
const script = `
  const { workerData } = require('node:worker_threads')
  const { board, ring, marks, starts } = workerData
  Promise.all([import(${JSON.stringify(builtClaims)}), import(${JSON.stringify(builtLayout)})]).then(
    ([{ claim, finish }, { boardOf }]) => {
      const { state } = boardOf(board, ${WORDS})
      Atomics.store(marks, ${READY}, 1)
      for (let tail = 0; ; ) {
        if (tail === Atomics.load(marks, ${HEAD})) {
          if (Atomics.load(marks, ${STOP}) === 1) return
          Atomics.wait(marks, ${HEAD}, tail, 0.1)
          continue
        }
        const at = (tail % ${RING}) * 2
        const key = Atomics.load(ring, at)
        const task = Atomics.load(ring, at + 1)
        if (claim(state, key)) {
          Atomics.add(starts, task, 1)
          if (!finish(state, key)) throw new Error('a finish was refused')
        }
        Atomics.store(marks, ${TAIL}, ++tail)
      }
    },
  )`

test('of 120,000 tasks that two threads fight over, none is started twice or not at all', async () => {
  const shared = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length))
  const board = boardOf(undefined, WORDS)
  const ring = shared(2 * RING)
  const marks = shared(4)
  const starts = shared(TASKS)
  const workerData = { board: board.buffer, ring, marks, starts }
  const worker = new Worker(script, { eval: true, workerData })
  const exited = new Promise<unknown>((resolve) => {
    worker.once('error', resolve)
    worker.once('exit', resolve)
  })
  // Not blocking: what the thread throws while it starts must be heard.
  while (Atomics.load(marks, READY) === 0) await new Promise((resolve) => setImmediate(resolve))

  const random = seededRandom(20_260)
  const freeWords = Array.from({ length: WORDS }, (_, index) => index)
  /** Messages sent and not yet answered, oldest first. */
  const sent: { key: number; task: number }[] = []
  const settled = new Uint8Array(TASKS)
  const waiting: number[] = []
  let next = 0
  let done = 0
  let head = 0
  let answered = 0
  let takenBack = 0

  const send = (task: number) => {
    const key = post(board.state, freeWords.pop()!)
    Atomics.store(ring, (head % RING) * 2, key)
    Atomics.store(ring, (head % RING) * 2 + 1, task)
    Atomics.store(marks, HEAD, ++head)
    sent.push({ key, task })
  }
  /** The worker is past these messages: each is done, or was taken back and is free only now. */
  const readAnswers = () => {
    for (const tail = Atomics.load(marks, TAIL); answered < tail; answered++) {
      const { key, task } = sent.shift()!
      const state = stateOf(board.state, key)
      if (state !== DONE && state !== REVOKED) throw new Error(`answered in state ${state}`)
      if (state === DONE) {
        settled[task]!++
        done++
      }
      free(board.state, key)
      freeWords.push(indexOf(key))
    }
  }
  /** Newest first, stopping at the first started one. */
  const takeBack = (most: number) => {
    let left = most
    for (let at = sent.length - 1; at >= 0 && left > 0; at--) {
      const { key, task } = sent[at]!
      // One that was revoked before stays in the list until it is answered.
      if (stateOf(board.state, key) === REVOKED) continue
      if (!revoke(board.state, key)) return
      waiting.push(task)
      takenBack++
      left--
    }
  }

  while (done < TASKS && worker.threadId !== -1) {
    // Now and then the loop turns, so that the thread's death would be heard.
    if ((head & 1023) === 0) await new Promise((resolve) => setImmediate(resolve))
    while (freeWords.length > 0 && (waiting.length > 0 || next < TASKS)) send(waiting.pop() ?? next++)
    if (random() < 0.1) takeBack(1 + Math.floor(random() * 2 * WORDS))
    const before = answered
    readAnswers()
    // With few processors the worker may need ours.
    if (answered === before) Atomics.wait(marks, TAIL, answered, 0.1)
  }
  Atomics.store(marks, STOP, 1)
  expect(await exited).toBe(0)
  expect(done).toBe(TASKS)
  expect(starts.every((count) => count === 1)).toBe(true)
  expect(settled.every((count) => count === 1)).toBe(true)
  // Both sides won often enough for the fight to mean something.
  expect(takenBack).toBeGreaterThan(1_000)
  expect(head - takenBack).toBe(TASKS)
  expect(freeWords.length + sent.length).toBe(WORDS)
})
