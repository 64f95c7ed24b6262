/** Runs one sample in a child process and watches its memory from outside. */

import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pidusage from 'pidusage'
import type { ChildAnswer, ProbeResult, SampleSpec } from './sample.js'

const childFile = fileURLToPath(new URL('./child.js', import.meta.url))

/** Often enough to see a peak of a second, rare enough to cost well under 1 % of a core. */
const memoryPeriodMs = 200

/** What a system writes must not fill the pipe, but the end of it tells why a process died. */
const keptOutputChars = 4_000

export interface MeasuredSample {
  readonly result: ProbeResult
  /** Largest resident memory seen, unless the process was too short to be seen; a peak between samples is missed. */
  readonly peakRssBytes?: number | undefined
}

/**
 * Settles with the figures once the process has ended. Rejects when the probe threw, when the process died without
 * an answer, and after `timeoutMs`, when it is killed.
 */
export function runSample(spec: SampleSpec, timeoutMs: number): Promise<MeasuredSample> {
  return new Promise((resolve, reject) => {
    const child = fork(childFile, [], {
      execArgv: ['--expose-gc'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization: 'json',
    })
    const pid = child.pid
    let answer: ChildAnswer | undefined
    let output = ''
    let peakRssBytes: number | undefined
    let timedOut = false
    const keep = (text: Buffer): void => {
      output = (output + text.toString()).slice(-keptOutputChars)
    }
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)

    const watch = setInterval(() => {
      if (pid === undefined) return
      // The process may end between the tick and the reading: that reading is missing, nothing else.
      pidusage(pid).then(
        (usage) => {
          peakRssBytes = Math.max(peakRssBytes ?? 0, usage.memory)
        },
        () => {},
      )
    }, memoryPeriodMs)
    const limit = setTimeout(() => {
      timedOut = true
      child.kill('SIGKILL')
    }, timeoutMs)

    child.on('message', (message: ChildAnswer) => {
      answer = message
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearInterval(watch)
      clearTimeout(limit)
      if (answer?.ok === true) resolve({ result: answer.result, peakRssBytes })
      else if (answer?.ok === false) reject(new Error(answer.message))
      else if (timedOut) reject(new Error(`no answer within ${timeoutMs} ms`))
      else reject(new Error(`the measuring process ended (${signal ?? code}) without an answer\n${output}`))
    })
    child.send(spec)
  })
}
