import { describe, expect, test } from 'vitest'
import { makePayload, type PayloadShape } from '../../../bench/probes/payload-shapes.js'

describe('payloads that are measured', () => {
  test.each<PayloadShape>([
    { kind: 'array of small objects', length: 1_000 },
    { kind: 'text', length: 100_000 },
    { kind: 'buffer', length: 4_096 },
  ])('$kind has the length that was asked for', (shape) => {
    const payload = makePayload(shape, 7) as { length: number }
    expect(payload.length).toBe((shape as { length: number }).length)
  })

  test('a flat object has four properties, a nested one is 1 kB as JSON', () => {
    expect(Object.keys(makePayload({ kind: 'flat object' }, 1) as object)).toHaveLength(4)
    const bytes = JSON.stringify(makePayload({ kind: 'nested object' }, 1_234)).length
    expect(Math.abs(bytes - 1_000)).toBeLessThan(50)
  })

  test('two payloads of one shape share no object', () => {
    const objectsIn = (value: unknown): object[] =>
      typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(objectsIn)] : []
    for (const shape of [{ kind: 'nested object' }, { kind: 'array of small objects', length: 3 }] as const) {
      const first = new Set(objectsIn(makePayload(shape, 1)))
      expect(first.size).toBeGreaterThan(1)
      expect(objectsIn(makePayload(shape, 2)).filter((each) => first.has(each))).toEqual([])
    }
  })
})
