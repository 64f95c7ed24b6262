/**
 * For apps that have evenkeel inside their bundle: everything that a thread needs, in one file that stands wherever the
 * app puts it. The build makes one file of this one, the thread entry, piscina, and the file that piscina starts in its
 * threads, which piscina would look for beside itself.
 *
 * On the caller's thread it is required for piscina alone; as the file of a thread it runs piscina's part and ours.
 */

import threads = require('node:worker_threads')

import type { Piscina } from 'piscina'
import type { ThreadWorkerData } from '../src/protocol/control.js'

import version = require('../src/base/version.js')

/** Piscina looks for a task function in its file; no piscina task is ever submitted. */
function thread(): void {}

/** Piscina, whose threads start with this file. Loaded at the first call, some 5 ms. */
thread.piscina = (): typeof Piscina => require('piscina').Piscina

/** A copy of this file may be older than the evenkeel that starts it. */
thread.version = version.VERSION

// Once the entry has given the user's own `workerData` back, this file can be required in the same thread for piscina.
const workerData = threads.workerData as Partial<ThreadWorkerData> | null | undefined
if (typeof workerData === 'object' && workerData?.['evenkeel:settings'] !== undefined) {
  require('piscina/dist/worker.js')
  require('./entry.cjs')
}

export = thread
