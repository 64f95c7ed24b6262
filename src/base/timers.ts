/**
 * Node's timers as they were when evenkeel was loaded. Test runners replace the global ones by mocks that stand still
 * (vitest, jest, sinon); a pool that used those would stop with them. Everything of ours takes them from here.
 */

import { performance } from 'node:perf_hooks'
import * as timers from 'node:timers'

export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = { ...timers }

const captured = globalThis.queueMicrotask

/** Called with the global object, as a browser-like environment asks for. */
export const queueMicrotask = (callback: () => void): void => captured.call(globalThis, callback)

/** Milliseconds since the thread's own zero. */
export const performanceNow: () => number = performance.now.bind(performance)
