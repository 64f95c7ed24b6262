/** A chaos run in a process of its own, which is stopped and continued meanwhile. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildHost } from './built-host.js'
import type { ChaosReport, ChaosSettings } from './chaos-run.js'

/** How long the process runs before it is stopped, each time, ms. */
const RUNS_MS = 400

/** Stops it `times` times for `stopMs`, as long as it runs. */
export async function stoppedRun(settings: ChaosSettings, times: number, stopMs: number): Promise<StoppedReport> {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-chaos-'))
  try {
    const host = join(folder, 'host.mjs')
    await buildHost(host)
    const child = spawn(process.execPath, [host, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exit = once(child, 'exit')
    const printed = text(child.stdout)
    await once(child.stdout, 'data')
    let stops = 0
    while (stops < times) {
      await sleep(RUNS_MS)
      if (child.exitCode !== null || !child.kill('SIGSTOP')) break
      await sleep(stopMs)
      child.kill('SIGCONT')
      stops++
    }
    await exit
    return { ...(JSON.parse((await printed).split('\n').at(-2)!) as ChaosReport), stops }
  } finally {
    await rm(folder, { recursive: true })
  }
}

export interface StoppedReport extends ChaosReport {
  readonly stops: number
}
