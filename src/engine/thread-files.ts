/**
 * Where piscina and the file of a thread come from: from beside evenkeel, or, where evenkeel has become a part of an
 * app's bundle, from the one file that the app names.
 *
 * Piscina is required here by hand, so that no bundler takes it in: it starts a file that it looks for beside itself, and
 * as a part of a bundle it would start whatever stands there under that name.
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
  /** What piscina loads in a thread. */
  readonly entry: string
}

function missing(path: string): EvenkeelError {
  return new EvenkeelError(
    'EVENKEEL_MODULE_LOAD',
    `evenkeel's thread file ${path} does not exist. When evenkeel is part of a bundle, copy the file that ` +
      "require.resolve('evenkeel/thread') names to where the bundle is and give its place as the option threadFile; " +
      'or leave evenkeel out of the bundle (esbuild: --external:evenkeel)',
  )
}

function load(entry: string): ThreadFiles {
  return { Piscina: createRequire(entry)('piscina').Piscina, entry }
}

const OWN_ENTRY = fileURLToPath(threadEntryUrl)

/** Loaded with evenkeel, as by an import: 10 ms that would else belong to the first pool's start. In a bundle there is nothing. */
const OWN_FILES = existsSync(OWN_ENTRY) ? load(OWN_ENTRY) : undefined

/** Throws an `EVENKEEL_MODULE_LOAD` that says what to do when `entry` is not there. */
export function filesBesideUs(entry: string = OWN_ENTRY): ThreadFiles {
  if (entry === OWN_ENTRY && OWN_FILES !== undefined) return OWN_FILES
  if (!existsSync(entry)) throw missing(entry)
  return load(entry)
}

/** Throws an `EVENKEEL_MODULE_LOAD` when the file is not there, is another one, or that of another version. */
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
  // Both ends of a thread's port must be of one build of the protocol; another one may hang instead of failing.
  if (version !== VERSION) {
    throw new EvenkeelError(
      'EVENKEEL_MODULE_LOAD',
      `${threadFile} belongs to evenkeel ${version ?? '(unknown)'}, and this is ${VERSION}: copy the file that ` +
        "require.resolve('evenkeel/thread') names again",
    )
  }
  return { Piscina: piscina(), entry: threadFile }
}
