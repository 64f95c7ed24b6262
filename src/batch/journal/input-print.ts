/** What an input looks like from outside, to tell on resume whether it is still the same. */

import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { ByteSource } from '../input/byte-source.js'
import type { InputPrint } from './journal-format.js'

const HEAD_BYTES = 2 ** 20

/** Reads at most the first MiB of a regular file; a stream has only its name. */
export async function inputPrint({ name, sizeBytes }: ByteSource): Promise<InputPrint> {
  if (sizeBytes === undefined) return { path: name }
  const file = await open(name, 'r')
  try {
    const { mtimeMs } = await file.stat()
    const head = Buffer.alloc(Math.min(HEAD_BYTES, sizeBytes))
    const { bytesRead } = await file.read(head, 0, head.length, 0)
    const headSha256 = createHash('sha256').update(head.subarray(0, bytesRead)).digest('hex')
    return { path: name, sizeBytes, mtimeMs, headSha256 }
  } finally {
    await file.close()
  }
}

/** What differs between two lists of inputs, in words, or `undefined`. A new time stamp or name alone is no difference. */
export function inputDifference(before: readonly InputPrint[], now: readonly InputPrint[]): string | undefined {
  if (before.length !== now.length) return `there were ${before.length} inputs, now there are ${now.length}`
  for (const [index, one] of before.entries()) {
    const other = now[index]!
    if (one.sizeBytes !== other.sizeBytes) {
      return `${other.path} had ${one.sizeBytes ?? 'an unknown number of'} bytes, now ${other.sizeBytes ?? 'an unknown number'}`
    }
    if (one.headSha256 !== other.headSha256) return `the beginning of ${other.path} has changed`
  }
  return undefined
}
