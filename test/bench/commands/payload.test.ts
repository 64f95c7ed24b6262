import { describe, expect, test } from 'vitest'
import { payloadCommand } from '../../../bench/commands/payload.js'
import { madeUpScenario, madeUpSystem } from '../report/made-up-report.js'

const name = 'text of 1 MB, CPU, 1 worker'
const costs = (usPerTask: number, cpuUsPerTask: number) => ({ usPerTask: [usPerTask], cpuUsPerTask: [cpuUsPerTask] })

describe('payload command', () => {
  test('measures what is slow to read with take-back and without, in one process, and with all settings of piscina', () => {
    const slow = payloadCommand.scenarios(false).filter(({ probe }) => probe === 'slow-payload')
    expect(slow.length).toBeGreaterThan(0)
    for (const { systems, together } of slow) {
      expect(together).toBe(true)
      const [on, off, ...others] = systems
      expect(on).toMatchObject({ contender: 'evenkeel', settings: {} })
      expect(off).toMatchObject({ contender: 'evenkeel', settings: { takeBack: false } })
      expect(others.map(({ contender }) => contender)).toEqual(Array.from({ length: 6 }, () => 'piscina'))
    }
    expect(slow.map((scenario) => scenario.name)).toContain(name)
  })

  test("judges time and processor time against no take-back, and a text's against the cheapest piscina", () => {
    const systems = [
      madeUpSystem('evenkeel', costs(105, 120)),
      madeUpSystem('evenkeel without take-back', costs(100, 100)),
      madeUpSystem('piscina sync c=1', costs(50, 200)),
      madeUpSystem('piscina disabled c=1', costs(300, 100)),
    ]
    const goals = payloadCommand.goals([madeUpScenario(name, systems)]).filter(({ what }) => what.startsWith(name))
    expect(goals.map(({ value, verdict }) => [value, verdict])).toEqual([
      [1.05, 'reached'],
      [1.2, 'missed'],
      [1.2, 'missed'],
    ])
    expect(goals[2]!.note).toContain('piscina disabled c=1')
  })

  test('an array is judged against no take-back alone', () => {
    const array = 'array of 20,000 objects, I/O, 1 worker'
    const systems = [
      madeUpSystem('evenkeel', costs(100, 100)),
      madeUpSystem('evenkeel without take-back', costs(100, 100)),
    ]
    const goals = payloadCommand.goals([madeUpScenario(array, systems)]).filter(({ what }) => what.startsWith(array))
    expect(goals.map(({ verdict }) => verdict)).toEqual(['aim reached', 'aim reached'])
  })
})
