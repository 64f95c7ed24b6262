import { expect, test } from 'vitest'
import { checkGates } from '../../../src/dispatcher/options/gate-options.js'

test('gates limit what is under way, what starts per time, or both', () => {
  const given = {
    a: { concurrency: 2 },
    b: { intervalCap: 5, intervalMs: 1_000 },
    c: { concurrency: 1, intervalCap: 1, intervalMs: 9 },
  }
  const gates = checkGates(given)
  expect(Object.fromEntries(gates)).toEqual(given)
  given.a.concurrency = 7
  expect(gates.get('a')).toEqual({ concurrency: 2 })
  expect(checkGates(undefined).size).toBe(0)
})

test.each([
  [[], 'gates', TypeError],
  [{ a: 5 }, 'gates.a', TypeError],
  [{ a: {} }, 'gates.a', TypeError],
  [{ a: { limit: 5 } }, 'gates.a.limit', TypeError],
  [{ a: { concurrency: 0 } }, 'gates.a.concurrency', RangeError],
  [{ a: { concurrency: 1.5 } }, 'gates.a.concurrency', RangeError],
  [{ a: { intervalCap: 5 } }, 'gates.a', TypeError],
  [{ a: { intervalCap: 0, intervalMs: 5 } }, 'gates.a.intervalCap', RangeError],
  [{ a: { intervalCap: 1, intervalMs: 0 } }, 'gates.a.intervalMs', RangeError],
  [{ a: { concurrency: 1, intervalMs: Number.NaN } }, 'gates.a.intervalMs', RangeError],
])('%j is refused: %s', (gates, option, type) => {
  expect(() => checkGates(gates)).toThrow(type)
  expect(() => checkGates(gates)).toThrow(expect.objectContaining({ option }))
})
