import { describe, expect, test } from 'vitest'
import { payloadBytes } from '../../../src/dispatcher/intake/payload-size.js'

describe('binary bytes of a payload', () => {
  test.each([
    ['a number', 5, 0],
    ['a long string', 'x'.repeat(1_000), 0],
    ['nothing', undefined, 0],
    ['null', null, 0],
    ['a buffer', new ArrayBuffer(10), 10],
    ['a view on part of a buffer', new Uint8Array(new ArrayBuffer(100), 10, 20), 20],
    ['a DataView', new DataView(new ArrayBuffer(8)), 8],
    ['an empty view', new Uint8Array(0), 0],
    ['an object with two of them', { a: new ArrayBuffer(3), b: new Float64Array(2), c: 'text' }, 19],
    ['an array of them', [new ArrayBuffer(1), new ArrayBuffer(2)], 3],
    ['one two levels down, which is not looked for', { a: { b: new ArrayBuffer(9) } }, 0],
  ])('%s', (_what, payload, bytes) => {
    expect(payloadBytes(payload)).toBe(bytes)
  })

  test('shared memory counts nothing, for it is not copied', () => {
    expect(payloadBytes(new SharedArrayBuffer(64))).toBe(0)
    expect(payloadBytes(new Int32Array(new SharedArrayBuffer(64)))).toBe(0)
    expect(payloadBytes({ shared: new Int32Array(new SharedArrayBuffer(64)), own: new ArrayBuffer(1) })).toBe(1)
  })

  test('a getter or a Proxy that throws is left to the clone', () => {
    const bad = {
      get boom() {
        throw new Error('boom')
      },
    }
    const proxy = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('boom')
        },
      },
    )
    expect([payloadBytes(bad), payloadBytes(proxy)]).toEqual([0, 0])
  })

  test('a typed array is not walked element by element, and a large object only in part', () => {
    let reads = 0
    const large: Record<string, unknown> = {}
    for (let index = 0; index < 1_000; index++) {
      Object.defineProperty(large, `p${index}`, {
        enumerable: true,
        get: () => {
          reads++
          return 0
        },
      })
    }
    payloadBytes(large)
    expect(reads).toBeLessThan(100)
  })

  test('of an array only the first elements are looked at, and its keys are never listed', () => {
    let listed = 0
    const watched = new Proxy([new ArrayBuffer(5), ...new Array(100_000).fill(0)], {
      ownKeys(target) {
        listed++
        return Reflect.ownKeys(target)
      },
    })
    expect([payloadBytes(watched), listed]).toEqual([5, 0])
    expect(payloadBytes(Object.assign(new Array(2), { 1: new ArrayBuffer(7) }))).toBe(7)
  })

  test('a look at a million elements costs next to nothing of their clone', () => {
    const array = Array.from({ length: 1_000_000 }, (_, index) => index)
    const cost = (work: () => unknown) => {
      const beganMs = performance.now()
      work()
      return performance.now() - beganMs
    }
    const looks = Array.from({ length: 9 }, () => cost(() => payloadBytes(array))).sort((a, b) => a - b)
    expect(looks[4]!).toBeLessThan(cost(() => structuredClone(array)) / 20)
  })
})
