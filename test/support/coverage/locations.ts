import { fileURLToPath } from 'node:url'

export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url))

/** Cleared with the whole report folder at the start of each run. */
export const threadCoverageDir = `${projectRoot}coverage/threads`
