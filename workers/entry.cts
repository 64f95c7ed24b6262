/**
 * The file that piscina loads in a thread. CommonJS, because piscina uses `require`. It must not fail, so everything
 * that can fail happens later, in `runtime.ts`.
 */

import nodeModule = require('node:module')
import threads = require('node:worker_threads')

import type { ThreadWorkerData } from '../src/protocol/control.js'

const workerData = threads.workerData as ThreadWorkerData

// Task modules read `workerData` from node:worker_threads and expect the user's own.
Object.assign(threads, { workerData: workerData.user })
nodeModule.syncBuiltinESMExports()

import('./runtime.js').then((runtime) => runtime.start(workerData['evenkeel:settings']))

// Piscina looks for a task function in its file; no piscina task is ever submitted.
export = () => {}
