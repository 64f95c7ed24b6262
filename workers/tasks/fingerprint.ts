/** Built-in example tasks: SHA-256 and gzip size of a file. A real mixture of reading, hashing and compressing. */

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { systemClock } from '../../src/base/clock.js'

export interface Fingerprint {
  readonly path: string
  readonly sizeBytes: number
  readonly sha256: string
  readonly gzipBytes: number
}

/** Where and when a task ran, on the clock that all threads share. */
export interface RunPlace {
  readonly slot: number
  readonly startedMs: number
  readonly endedMs: number
}

interface SlotContext {
  readonly slot: number
}

/** Reads the whole file into memory. Throws what reading it throws. */
export function fingerprint(path: string): Fingerprint {
  const bytes = readFileSync(path)
  return {
    path,
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    gzipBytes: gzipSync(bytes).length,
  }
}

/** The same, with where and when it ran; for the demonstration. */
export function placedFingerprint(path: string, { slot }: SlotContext): RunPlace & { readonly print: Fingerprint } {
  const startedMs = systemClock.nowMs()
  const print = fingerprint(path)
  return { slot, startedMs, endedMs: systemClock.nowMs(), print }
}

/** Keeps its thread from everything else for `blockMs`: the demonstration's staged fault. */
export function block(blockMs: number, { slot }: SlotContext): RunPlace {
  const startedMs = systemClock.nowMs()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockMs)
  return { slot, startedMs, endedMs: systemClock.nowMs() }
}
