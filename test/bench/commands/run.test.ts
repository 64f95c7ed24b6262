import { describe, expect, test } from 'vitest'
import { benchCommands } from '../../../bench/commands/catalogue.js'
import { plannedLiveMs, runCommand } from '../../../bench/commands/run.js'
import { poolifierStrategies } from '../../../bench/commands/systems.js'
import { poolifierStrategies as poolifierOwn } from '../../../bench/contenders/poolifier.js'
import { probeNames } from '../../../bench/probes/catalogue.js'
import { liveScenarios } from '../../../bench/scenarios/catalogue.js'

describe('live commands', () => {
  test.each(benchCommands)('$name plans scenarios that can be told apart and probed', (command) => {
    for (const quick of [true, false]) {
      const scenarios = command.scenarios(quick)
      expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length)
      for (const { probe, systems, repetitions } of scenarios) {
        expect(probeNames).toContain(probe)
        expect(new Set(systems.map(({ label }) => label)).size).toBe(systems.length)
        expect(repetitions).toBeGreaterThan(0)
      }
      expect(JSON.parse(JSON.stringify(scenarios))).toEqual(scenarios)
    }
  })

  test.each(benchCommands)('$name judges nothing when nothing was measured', (command) => {
    for (const goal of command.goals([])) expect(goal.verdict, goal.what).toBe('not judged')
  })
})

describe('full comparison', () => {
  test('stays within an hour, and the quick one within three minutes', () => {
    expect(plannedLiveMs(false)).toBeLessThan(56 * 60_000)
    expect(plannedLiveMs(true)).toBeLessThan(3 * 60_000)
  })

  test('measures every live scenario with the default dispatcher', () => {
    const live = runCommand.scenarios(false).filter(({ probe }) => probe === 'live')
    expect(live.map(({ name }) => name)).toEqual(liveScenarios.map(({ name }) => name))
    for (const { systems } of live) expect(systems[0]).toMatchObject({ label: 'evenkeel', settings: {} })
  })

  test("shows all of poolifier's strategies where peers are compared", () => {
    expect([...poolifierStrategies].sort()).toEqual([...poolifierOwn].sort())
    for (const name of ['uniform', 'stall, Atomics.wait']) {
      const labels = runCommand
        .scenarios(false)
        .find((scenario) => scenario.name === name)!
        .systems.map(({ label }) => label)
      for (const strategy of poolifierStrategies) expect(labels).toContain(`poolifier ${strategy}`)
    }
  })
})
