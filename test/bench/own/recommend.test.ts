import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { recommend } from '../../../bench/own/recommend.js'
import { readSamples, SampleFileError } from '../../../bench/own/samples.js'
import { madeUpScenario, madeUpSystem } from '../report/made-up-report.js'

const steady = (value: number): number[] => [1, 1.02, 0.98, 1.01, 0.99, 1, 1.01, 0.99].map((factor) => value * factor)

function scenarios(p99: Record<string, number>, rate: Record<string, number>) {
  const systems = (figures: Record<string, number>, measure: string) =>
    Object.entries(figures).map(([label, value]) => ({
      ...madeUpSystem(label, { [measure]: steady(value) }),
      settings: label === 'evenkeel' ? { module: 'file:///m.js' } : { module: 'file:///m.js', strategy: label },
    }))
  return {
    open: madeUpScenario('open loop', systems(p99, 'p99Ms')),
    closed: madeUpScenario('closed loop', systems(rate, 'tasksPerSecond')),
  }
}

describe('recommendation', () => {
  test('is the setting with the best p99 that is shown, with the options to pass', () => {
    const { open, closed } = scenarios({ evenkeel: 10, a: 8, b: 6 }, { evenkeel: 100, a: 100, b: 100 })
    const { system, options, latency } = recommend(open, closed, 1)
    expect(system).toBe('b')
    expect(options).toEqual({ strategy: 'b' })
    expect(latency!.high).toBeLessThan(1)
    expect(latency!.low).toBeLessThanOrEqual(latency!.ratio)
  })

  test('passes over a setting that costs throughput', () => {
    const { open, closed } = scenarios({ evenkeel: 10, a: 8, b: 6 }, { evenkeel: 100, a: 100, b: 50 })
    expect(recommend(open, closed, 1).system).toBe('a')
  })

  test('is the default when no difference is shown', () => {
    const { open, closed } = scenarios({ evenkeel: 10, a: 10.05 }, { evenkeel: 100, a: 100 })
    expect(recommend(open, closed, 1)).toMatchObject({ system: 'evenkeel', options: {} })
  })
})

describe('samples', () => {
  const file = (text: string): string => {
    const path = join(mkdtempSync(join(tmpdir(), 'samples-')), 'samples.jsonl')
    writeFileSync(path, text)
    return path
  }

  test('are one JSON value a line; empty lines are passed over', () => {
    expect(readSamples(file('{"a":1}\n\n[2]\r\n"three"\n4'))).toEqual([{ a: 1 }, [2], 'three', 4])
  })

  test.each([
    ['a line that is no JSON', '{"a":1}\noops\n', 'line 2'],
    ['no samples', '\n\n', 'no samples'],
  ])('%s is refused', (_, text, why) => {
    expect(() => readSamples(file(text))).toThrow(SampleFileError)
    expect(() => readSamples(file(text))).toThrow(why)
  })
})
