import { projectRoot } from '../source/tree.js'

/** Cleared with the whole report folder at the start of each run. */
export const threadCoverageDir = `${projectRoot}coverage/threads`
