import { describe, expect, test } from 'vitest'
import { loopUtilisation } from '../../src/engine/supervisor.js'

const at = (idle: number, active: number) => ({ idle, active })

describe('loopUtilisation', () => {
  test('is the busy share of the time between two readings', () => {
    expect(loopUtilisation(at(100, 50), at(130, 60))).toBe(0.25)
    expect(loopUtilisation(at(100, 50), at(100, 60))).toBe(1)
    expect(loopUtilisation(at(100, 50), at(160, 50))).toBe(0)
  })

  test('stays between 0 and 1 for the negative differences that Node can give', () => {
    expect(loopUtilisation(at(100, 50), at(110, 49))).toBe(0)
    expect(loopUtilisation(at(100, 50), at(99, 60))).toBe(1)
  })

  test('is 1 when no time lies between them', () => {
    expect(loopUtilisation(at(1, 1), at(1, 1))).toBe(1)
  })
})
