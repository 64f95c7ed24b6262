/**
 * One file with everything that a thread needs, for apps that have evenkeel inside their bundle. The app may put it
 * anywhere. The build makes it of this file, the thread entry, piscina, and the file that piscina starts in its
 * threads, which piscina would look for beside itself.
 *
 * On the caller's thread it is required only for piscina. As a thread's file it runs piscina's part and ours.
 */

import threads = require('node:worker_threads')

import type { Piscina } from 'piscina'
import type { ThreadWorkerData } from '../src/protocol/control.js'

import version = require('../src/base/version.js')

/** Piscina looks for a task function in its file; no piscina task is ever submitted. */
function thread(): void {}

/** Piscina, whose threads start with this file. Loaded at the first call, in about 5 ms. */
thread.piscina = (): typeof Piscina => require('piscina').Piscina

/** Compared at the start: a copy of this file may be older than the evenkeel that uses it. */
thread.version = version.VERSION

// False in a thread after its start, when the entry has restored the user's `workerData`: then it is required for
// piscina.
const workerData = threads.workerData as Partial<ThreadWorkerData> | null | undefined
if (typeof workerData === 'object' && workerData?.['evenkeel:settings'] !== undefined) {
  require('piscina/dist/worker.js')
  require('./entry.cjs')
}

export = thread
