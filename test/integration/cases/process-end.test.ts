/** When a host that never closes its pool ends: by itself, and not before its tasks have. */

import { describe, expect, test } from 'vitest'
import { SLACK } from '../../support/case-host.js'
import { runHost } from '../../support/host-script.js'
import { fixtureUrl } from '../../support/outcome.js'

const script = fixtureUrl('ending-host.mjs')

/** Scenario, and what its last line says. */
const SCENARIOS: Readonly<Record<string, string>> = {
  unused: '',
  oneTask: 'settled 2',
  awaited: 'settled 2',
  inFlight: 'settled 700',
  inFlightIo: 'settled 700',
  queued: 'settled 2',
  thrown: 'settled thrown',
  crashed: 'settled EVENKEEL_WORKER_EXIT',
  aborted: 'settled EVENKEEL_ABORTED',
  limited: 'settled EVENKEEL_TIMEOUT',
  retried: 'settled thrown',
  openHandles: 'settled 2',
  badModule: 'settled EVENKEEL_MODULE_LOAD',
  badModuleUnused: '',
  growing: 'settled 2',
  manyPools: 'settled all',
  afterDeath: 'settled 2',
  leftMap: 'settled 2',
  closed: 'settled closed',
  closedWhileStarting: 'settled closed',
  closeUnawaited: 'settled 2',
  rejectedUnheard: 'settled closed',
}

describe('a host without a close ends by itself once its work has', () => {
  for (const [scenario, lastLine] of Object.entries(SCENARIOS)) {
    test.concurrent(scenario, async () => {
      const host = await runHost(script, { args: [scenario], limitMs: 25_000 })
      expect(host.stderr).toBe('')
      expect(host.stdout.trim()).toBe(lastLine)
      expect(host).toMatchObject({ exitCode: 0, signal: null })
      expect(host.elapsedMs).toBeLessThan(3_000 * SLACK)
    })
  }
})

describe('what a task prints reaches the host', () => {
  test('when the thread ends right after it', async () => {
    const { stdout } = await runHost(script, { args: ['lastLines'] })
    expect(stdout.match(/^line \d+$/gm)).toHaveLength(200)
  })

  test('when the host ends right after the answer', async () => {
    const { stdout } = await runHost(script, { args: ['chatty'] })
    expect(stdout.match(/^line \d+$/gm)).toHaveLength(3_000)
  })
})
