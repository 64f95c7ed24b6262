import { describe, expect, test } from 'vitest'
import { compareReports, parseReport, ReportFormatError } from '../../../bench/report/compare.js'
import { madeUpReport, madeUpScenario, madeUpSystem } from './made-up-report.js'

const report = (measure: string, values: readonly number[]) =>
  madeUpReport([madeUpScenario('one', [madeUpSystem('evenkeel', { [measure]: values })])])

const verdict = (measure: string, before: readonly number[], after: readonly number[]) =>
  compareReports(report(measure, before), report(measure, after), 0.1)[0]?.verdict

describe('comparison of two reports', () => {
  test('a latency that grew past the threshold is a regression, one that fell an improvement', () => {
    expect(verdict('p99Ms', [10, 10, 10], [12, 12, 12])).toBe('regression')
    expect(verdict('p99Ms', [10, 10, 10], [8, 8, 8])).toBe('improvement')
  })

  test('a rate is judged the other way round', () => {
    expect(verdict('tasksPerSecond', [100, 100, 100], [80, 80, 80])).toBe('regression')
    expect(verdict('tasksPerSecond', [100, 100, 100], [120, 120, 120])).toBe('improvement')
  })

  test('a change up to the threshold is none', () => {
    expect(verdict('p99Ms', [10, 10, 10], [10.9, 10.9, 10.9])).toBe('within threshold')
  })

  test('a median past the threshold on which the repetitions do not agree is scattered', () => {
    expect(verdict('p99Ms', [10, 10, 10, 10], [5, 9, 14, 15])).toBe('scattered')
  })

  test('what only one report has is not compared', () => {
    const other = madeUpReport([madeUpScenario('two', [madeUpSystem('evenkeel', { p99Ms: [1] })])])
    expect(compareReports(report('p99Ms', [1]), other, 0.1)).toEqual([])
  })

  test.each([
    ['no JSON', 'oops'],
    ['no report', '{}'],
    ['null', 'null'],
    ['a report of another version', '{"schema":"evenkeel-bench/0"}'],
  ])('%s is refused with the name of the file', (_, text) => {
    expect(() => parseReport(text, 'old.json')).toThrow(ReportFormatError)
    expect(() => parseReport(text, 'old.json')).toThrow('old.json')
  })

  test('a report survives being written and read', () => {
    const before = report('p99Ms', [10, 10])
    expect(parseReport(JSON.stringify(before), 'a.json')).toEqual(before)
  })
})
