/** Runs a script in a Node process of its own: for what only a whole host shows, such as its end or its flags. */

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface HostOutcome {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  readonly elapsedMs: number
}

export interface HostOptions {
  readonly args?: readonly string[]
  readonly execArgv?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** Killed after this, ms. */
  readonly limitMs?: number
  /** A command that starts the script, such as `taskset`, with its arguments. */
  readonly under?: readonly string[]
}

export async function runHost(script: URL | string, options: HostOptions = {}): Promise<HostOutcome> {
  const { args = [], execArgv = [], env, cwd, limitMs = 30_000, under = [] } = options
  const path = script instanceof URL ? fileURLToPath(script) : script
  const [command, ...rest] = [...under, process.execPath, ...execArgv, path, ...args]
  const beganMs = performance.now()
  const child = spawn(command!, rest, {
    cwd,
    // What this test process was started with is no business of the script's.
    env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: process.env.NODE_V8_COVERAGE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  })
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
  const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, killedBy) => resolve([code, killedBy]))
  })
  return {
    exitCode,
    signal,
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
    elapsedMs: performance.now() - beganMs,
  }
}
