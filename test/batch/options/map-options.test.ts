import { describe, expect, test } from 'vitest'
import { resolveMapOptions } from '../../../src/batch/options/map-options.js'

const given = { in: 'a', out: 'b' }

describe('options of a batch', () => {
  test('have defaults that follow the format', () => {
    expect(resolveMapOptions(given)).toMatchObject({
      in: ['a'],
      format: 'jsonl',
      output: 'jsonl',
      orderSpan: 65_536,
      groupSize: 1,
    })
    expect(resolveMapOptions({ ...given, format: 'lines' }).output).toBe('text')
    expect(resolveMapOptions({ ...given, raw: true }).output).toBe('text')
    expect(resolveMapOptions({ ...given, format: 'nul', output: 'jsonl' }).output).toBe('jsonl')
    expect(resolveMapOptions({ ...given, retries: { times: 2 } }).retries).toEqual({
      times: 2,
      delayMs: 1000,
      factor: 2,
      jitter: 0.5,
    })
  })

  test('undefined is as good as not given', () => {
    expect(resolveMapOptions({ ...given, format: undefined, key: undefined })).toMatchObject({ format: 'jsonl' })
  })

  test('that stand on the prototype of all objects set nothing', () => {
    const polluted = Object.prototype as Record<string, unknown>
    polluted.errors = 'everywhere'
    polluted.medians = 'everywhere'
    try {
      const options = resolveMapOptions({ ...given, timeout: { ms: 5 } })
      expect([options.errors, options.timeout]).toEqual([undefined, { ms: 5 }])
      expect(options.timeout!.medians).toBeUndefined()
    } finally {
      delete polluted.errors
      delete polluted.medians
    }
  })

  test('of a wrong type or value are refused by name', () => {
    for (const [option, value] of [
      ['in', []],
      ['in', [1]],
      ['out', 5],
      ['format', 'xml'],
      ['raw', 'yes'],
      ['delimiter', ''],
      ['delimiter', '"'],
      ['maxRecordBytes', 0],
      ['onBadRecord', 'ignore'],
      ['output', 'csv'],
      ['keepOrder', 1],
      ['orderSpan', Number.NaN],
      ['groupSize', 1.5],
      ['skip', -1],
      ['limit', 0.5],
      ['total', -1],
      ['perSecond', 0],
      ['sample', 2],
      ['key', 'id'],
      ['resume', 'some'],
      ['resumeAnyway', true],
      ['colour', 'red'],
    ] as const) {
      expect(() => resolveMapOptions({ ...given, [option]: value })).toThrow(
        expect.objectContaining({ code: 'EVENKEEL_INVALID_OPTION', option }),
      )
    }
    expect(() => resolveMapOptions({ ...given, retries: { times: -1 } })).toThrow('retries.times')
    expect(() => resolveMapOptions({ ...given, sample: { count: 0 } })).toThrow('sample.count')
    expect(() => resolveMapOptions(undefined)).toThrow(TypeError)
  })
})
