/**
 * Finds piscina and the thread's file: beside evenkeel, or, when evenkeel is part of an app's bundle, in the one file
 * that the app names.
 *
 * Piscina is loaded by `createRequire`, so that no bundler includes it. It starts a file that it expects beside itself;
 * inside a bundle it would start any file of that name.
 */

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Piscina } from 'piscina'
import { EvenkeelError } from '../base/errors.js'
import { VERSION } from '../base/version.js'
import { threadEntryUrl } from '../base/worker-urls.js'

export interface ThreadFiles {
  readonly Piscina: typeof Piscina
  /** The file that piscina loads in a thread. */
  readonly entry: string
}

function missing(path: string): EvenkeelError {
  return new EvenkeelError(
    'EVENKEEL_MODULE_LOAD',
    `evenkeel's thread file ${path} does not exist. When evenkeel is part of a bundle, copy the file that ` +
      "require.resolve('evenkeel/thread') names beside the bundle and give its path as the option threadFile; " +
      'or leave evenkeel out of the bundle (esbuild: --external:evenkeel)',
  )
}

function load(entry: string): ThreadFiles {
  return { Piscina: createRequire(entry)('piscina').Piscina, entry }
}

const OWN_ENTRY = fileURLToPath(threadEntryUrl)

/** Loaded with evenkeel, so that the first pool's start does not take these 10 ms. Undefined in a bundle. */
const OWN_FILES = existsSync(OWN_ENTRY) ? load(OWN_ENTRY) : undefined

/** Throws `EVENKEEL_MODULE_LOAD` with advice when `entry` does not exist. */
export function filesBesideUs(entry: string = OWN_ENTRY): ThreadFiles {
  if (entry === OWN_ENTRY && OWN_FILES !== undefined) return OWN_FILES
  if (!existsSync(entry)) throw missing(entry)
  return load(entry)
}

/** Throws `EVENKEEL_MODULE_LOAD` when the file does not exist, is another file, or is of another version. */
export function filesAt(threadFile: string): ThreadFiles {
  if (!existsSync(threadFile)) throw missing(threadFile)
  const { piscina, version } = createRequire(threadFile)(threadFile) ?? {}
  if (typeof piscina !== 'function') {
    throw new EvenkeelError(
      'EVENKEEL_MODULE_LOAD',
      `${threadFile} is not evenkeel's thread file: the option threadFile wants a copy of the one that ` +
        "require.resolve('evenkeel/thread') names",
    )
  }
  // Both ends of a thread's port must have the same protocol. With another version the pool could hang instead of
  // failing.
  if (version !== VERSION) {
    throw new EvenkeelError(
      'EVENKEEL_MODULE_LOAD',
      `${threadFile} belongs to evenkeel ${version ?? '(unknown)'}, and this is ${VERSION}: copy the file that ` +
        "require.resolve('evenkeel/thread') names again",
    )
  }
  return { Piscina: piscina(), entry: threadFile }
}
