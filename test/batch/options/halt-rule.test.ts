import { describe, expect, test } from 'vitest'
import { haltMessage, haltReached, parseHalt, parseMaxErrors } from '../../../src/batch/options/halt-rule.js'

describe('halt rules', () => {
  test('are read in the grammar of GNU parallel and written back', () => {
    for (const text of ['now,fail=1', 'soon,success=20', 'soon,done=5%', 'now,fail=100%']) {
      expect(haltMessage(parseHalt(text)!, { ok: 7, failed: 2 })).toBe(`halted by ${text}: 2 of 9 records failed`)
    }
    expect(parseHalt('never')).toBeUndefined()
    for (const text of ['', 'now', 'later,fail=1', 'soon,fail=0', 'soon,fail=101%', 'soon,fail=1.5', 'soon,fail']) {
      expect(() => parseHalt(text)).toThrow(expect.objectContaining({ code: 'EVENKEEL_INVALID_OPTION' }))
    }
  })

  test('count what they name', () => {
    const counts = { ok: 5, failed: 2 }
    expect(haltReached(parseHalt('soon,fail=2')!, counts)).toBe(true)
    expect(haltReached(parseHalt('soon,fail=3')!, counts)).toBe(false)
    expect(haltReached(parseHalt('soon,success=5')!, counts)).toBe(true)
    expect(haltReached(parseHalt('soon,done=7')!, counts)).toBe(true)
    expect(haltReached(parseHalt('soon,done=8')!, counts)).toBe(false)
  })

  test('in percent wait until a share means something', () => {
    const half = parseHalt('soon,fail=50%')!
    expect(haltReached(half, { ok: 0, failed: 9 })).toBe(false)
    expect(haltReached(half, { ok: 0, failed: 10 })).toBe(true)
    expect(haltReached(parseMaxErrors('60%'), { ok: 0, failed: 3 })).toBe(false)
    const five = parseMaxErrors('5%')
    expect(haltReached(five, { ok: 0, failed: 19 })).toBe(false)
    expect(haltReached(five, { ok: 19, failed: 1 })).toBe(false)
    expect(haltReached(five, { ok: 18, failed: 2 })).toBe(true)
  })

  test('allow as many errors as --max-errors says, none with 0', () => {
    expect(haltReached(parseMaxErrors('0'), { ok: 3, failed: 0 })).toBe(false)
    expect(haltReached(parseMaxErrors('0'), { ok: 3, failed: 1 })).toBe(true)
    expect(haltReached(parseMaxErrors('2'), { ok: 0, failed: 2 })).toBe(false)
    for (const text of ['', '-1', '1.5', '101%', 'x']) expect(() => parseMaxErrors(text)).toThrow(RangeError)
  })
})
