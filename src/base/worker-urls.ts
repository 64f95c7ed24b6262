/**
 * The only file that names files under `workers`. Paths are those of the built tree; tests that run the sources
 * point this module at the built one.
 */

export const threadEntryUrl = new URL('../../workers/entry.cjs', import.meta.url)

/** Built-in task modules by name, for `evenkeel map builtin:<name>` and the examples. */
export const builtinTaskUrls = {
  fingerprint: new URL('../../workers/tasks/fingerprint.js', import.meta.url),
} as const

/** The task module that a batch run wraps around the user's. */
export const mapRecordUrl = new URL('../../workers/tasks/map-record.js', import.meta.url)
