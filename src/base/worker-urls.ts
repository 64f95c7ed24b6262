/**
 * The only file that names files under `workers`. Paths are those of the built tree; tests that run the sources
 * point this module at the built one.
 */

import { pathToFileURL } from 'node:url'

/** A bundler that makes CommonJS of this file leaves it no URL. What is named below is not there then, which whoever looks for it says. */
const here: string = import.meta.url ?? pathToFileURL(__filename).href

export const threadEntryUrl = new URL('../../workers/entry.cjs', here)

/** Built-in task modules by name, for `evenkeel map builtin:<name>` and the examples. */
export const builtinTaskUrls = {
  fingerprint: new URL('../../workers/tasks/fingerprint.js', here),
} as const

/** The task module that a batch run wraps around the user's. */
export const mapRecordUrl = new URL('../../workers/tasks/map-record.js', here)
