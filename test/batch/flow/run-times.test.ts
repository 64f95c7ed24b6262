import { expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/random.js'
import { RunTimes } from '../../../src/batch/flow/run-times.js'

test('the median is right within two percent, from ten samples on', () => {
  const random = seededRandom(3)
  const times = new RunTimes()
  const samples: number[] = []
  for (let count = 0; count < 1001; count++) {
    const runMs = 0.01 * 10 ** (random() * 5)
    samples.push(runMs)
    times.add(runMs)
    if (count === 8) expect(times.medianMs()).toBeUndefined()
  }
  const median = samples.sort((a, b) => a - b)[500]!
  expect(times.medianMs()! / median).toBeGreaterThan(0.98)
  expect(times.medianMs()! / median).toBeLessThan(1.02)
})

test('times beyond both ends are counted at the ends', () => {
  const times = new RunTimes()
  for (let count = 0; count < 20; count++) times.add(count % 2 === 0 ? 0 : 1e15)
  expect(times.medianMs()).toBeGreaterThan(0)
})
