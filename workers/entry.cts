/**
 * The file that the engine gives to piscina. CommonJS, because piscina loads it with `require`; it must not fail,
 * so everything that can fail happens later, inside `runtime.ts`.
 */

import nodeModule = require('node:module')
import threads = require('node:worker_threads')

import type { ThreadWorkerData } from '../src/protocol/control.js'

const workerData = threads.workerData as ThreadWorkerData

// Task modules read `workerData` from node:worker_threads and expect their own.
Object.assign(threads, { workerData: workerData.user })
nodeModule.syncBuiltinESMExports()

import('./runtime.js').then((runtime) => runtime.start(workerData['evenkeel:settings']))

// Piscina looks for a task function in its file; no piscina task is ever submitted.
export = () => {}
