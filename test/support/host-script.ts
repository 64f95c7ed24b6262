/** Runs a script in a Node process of its own: for what only a whole host shows, such as its end or its flags. */

import { spawn } from 'node:child_process'
import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  // Files, because a host's writes to them are done when they return: what it printed before its end is there. A
  // socket that the reader is slow to empty loses what is left when the host exits, whoever wrote it.
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-host-'))
  const files = await Promise.all(['stdout', 'stderr'].map((name) => open(join(folder, name), 'w+')))
  const [stdoutFile, stderrFile] = files as [FileHandle, FileHandle]
  try {
    const child = spawn(command!, rest, {
      cwd,
      // What this test process was started with is no business of the script's.
      env: { ...process.env, NODE_OPTIONS: '', ...env },
      stdio: ['ignore', stdoutFile.fd, stderrFile.fd],
      timeout: limitMs,
      killSignal: 'SIGKILL',
    })
    const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.on('error', reject)
      child.on('exit', (code, killedBy) => resolve([code, killedBy]))
    })
    const elapsedMs = performance.now() - beganMs
    const [stdout, stderr] = await Promise.all(['stdout', 'stderr'].map((name) => readFile(join(folder, name), 'utf8')))
    return { exitCode, signal, stdout: stdout!, stderr: stderr!, elapsedMs }
  } finally {
    await Promise.all(files.map((file) => file.close()))
    await rm(folder, { recursive: true })
  }
}
