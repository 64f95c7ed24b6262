/**
 * The only file that names files under `workers`. Paths are those of the built tree; tests that run the sources
 * point this module at the built one.
 */

import { pathToFileURL } from 'node:url'

/**
 * In a CommonJS bundle this file has no URL. There the files below are missing; the code that opens them reports it.
 */
const here: string = import.meta.url ?? pathToFileURL(__filename).href

/** The folder of all evenkeel's own files. */
export const ownFolderUrl = new URL('../../', here)

export const threadEntryUrl = new URL('../../workers/entry.cjs', here)

/** Built-in task modules by name, for `evenkeel map builtin:<name>` and the examples. */
export const builtinTaskUrls = {
  fingerprint: new URL('../../workers/tasks/fingerprint.js', here),
} as const

/** The task module of a batch run, which loads the user's module. */
export const mapRecordUrl = new URL('../../workers/tasks/map-record.js', here)
