import { describe, expect, test } from 'vitest'
import { runSim, simText } from '../../../bench/sim/main.js'
import { measureRegret } from '../../../bench/sim/regret.js'
import { NO_DELAYS } from '../../../bench/sim/scenario.js'
import { scenarioNamed, scenarios } from '../../../bench/sim/scenarios.js'
import { IDEAL, systems } from '../../../bench/sim/systems.js'
import { pushed } from './play.js'

describe('measureRegret', () => {
  test('a system that brings the pool down has infinite regret, in the scenario where it did', async () => {
    const herd = { name: 'herd', summary: '', dispatch: pushed('least-loaded'), delays: NO_DELAYS, quick: false }
    const ideal = systems.find(({ name }) => name === IDEAL)!
    const { regret } = await measureRegret({
      scenarios: [scenarioNamed('homogeneous'), scenarioNamed('domino')],
      systems: [herd, ideal],
      seeds: [1],
      taskCount: 15_000,
    })
    expect(regret).toEqual([
      { system: IDEAL, worst: 1, scenario: 'homogeneous' },
      { system: 'herd', worst: Number.POSITIVE_INFINITY, scenario: 'domino' },
    ])
  })

  test('without the ideal there is nothing to measure by', async () => {
    const plan = { scenarios, systems: [], seeds: [1], taskCount: 10 }
    await expect(measureRegret(plan)).rejects.toThrow(IDEAL)
  })

  test('tells of each run as it ends', async () => {
    const told: string[] = []
    await measureRegret({
      scenarios: [scenarioNamed('stall')],
      systems: [systems[0]!],
      seeds: [1, 2],
      taskCount: 100,
      progress: (done, planned, current) => told.push(`${done}/${planned} ${current}`),
    })
    expect(told).toEqual([`1/2 stall: ${IDEAL}`, `2/2 stall: ${IDEAL}`])
  })

  test('an unknown scenario is refused with the known ones', () => {
    expect(() => scenarioNamed('stal')).toThrow(/no scenario "stal"; known are .*stall/)
  })
})

describe('the sim command', () => {
  test('the default dispatcher stays within 1.35 of the ideal in the worst of nine scenarios; its rivals do not', async () => {
    const report = await runSim({ quick: true, taskCount: 12_000 })
    const worst = (name: string): number => report.regret.find(({ system }) => system === name)!.worst
    expect(new Set(report.results.map(({ scenario }) => scenario)).size).toBe(9)
    expect(worst(IDEAL)).toBe(1)
    expect(report.tasksPerSecond).toBeGreaterThan(0)
    expect(worst('evenkeel')).toBeLessThan(1.35)
    expect(worst('least-outstanding')).toBeGreaterThan(worst('evenkeel'))
    expect(worst('round-robin')).toBeGreaterThan(5)
    expect(worst('literal rule')).toBeGreaterThan(5)
    expect(Object.keys(report).slice(0, 2)).toEqual(['command', 'environment'])
    expect(report.regret.every(({ scenario }) => scenarios.some(({ name }) => name === scenario))).toBe(true)
    const lines = simText(report).split('\n')
    for (const { system } of report.regret) expect(lines.some((line) => line.startsWith(system))).toBe(true)
  })
})
