import { expect, test } from 'vitest'
import { parseStrategy, strategyHelp } from '../../src/cli/strategy-argument.js'
import { catalogue } from '../../src/selection/index.js'

test('names and parameters are taken, wrong ones refused with what is known', () => {
  expect(parseStrategy('round-robin')).toEqual({ name: 'round-robin' })
  expect(parseStrategy('range-table:draws=1,signal=reported')).toEqual({
    name: 'range-table',
    draws: 1,
    signal: 'reported',
  })
  expect(parseStrategy('weighted-random:weights=1/2/3')).toEqual({ name: 'weighted-random', weights: [1, 2, 3] })
  expect(() => parseStrategy('best')).toThrow('known are')
  expect(() => parseStrategy('range-table:draws=9')).toThrow('draws')
  expect(() => parseStrategy('range-table:colour=red')).toThrow('colour')
  expect(() => parseStrategy('range-table:draws')).toThrow('parameter=value')
})

test('the help lists the whole catalogue within the width', () => {
  for (const columns of [20, 80, 200]) {
    const text = strategyHelp(columns)
    for (const { name } of catalogue) expect(text).toContain(name)
  }
  const [, ...lines] = strategyHelp(80).split('\n')
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80)
})
