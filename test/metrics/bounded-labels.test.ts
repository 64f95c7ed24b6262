import { expect, test } from 'vitest'
import { BoundedLabels } from '../../src/metrics/bounded-labels.js'

test('the first values keep labels of their own for good, all others share one', () => {
  const labels = new BoundedLabels(3, ['0'])
  expect(['5', '7', '9', '5', '0', '9'].map((value) => labels.of(value))).toEqual([
    '5',
    '7',
    'other',
    '5',
    '0',
    'other',
  ])
  expect([...labels.known]).toEqual(['0', '5', '7'])
})

test('a value that is called other shares its label with the rest', () => {
  const labels = new BoundedLabels(1)
  expect([labels.of('other'), labels.of('a'), labels.of('b')]).toEqual(['other', 'a', 'other'])
})
