/** Built-in example task: SHA-256 and gzip size of a file. A real mixture of reading, hashing and compressing. */

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

export interface Fingerprint {
  readonly path: string
  readonly sizeBytes: number
  readonly sha256: string
  readonly gzipBytes: number
}

/** Throws what reading the file throws. */
export function fingerprint(path: string): Fingerprint {
  const bytes = readFileSync(path)
  return {
    path,
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    gzipBytes: gzipSync(bytes, { level: 6 }).length,
  }
}

/** Keeps its worker's thread from everything else for `blockMs`; the demonstration's staged fault. */
export function block(blockMs: number): number {
  const cell = new Int32Array(new SharedArrayBuffer(4))
  Atomics.wait(cell, 0, 0, blockMs)
  return blockMs
}
