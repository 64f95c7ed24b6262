import { test } from 'vitest'
import { soak } from './resize-soak.js'

for (const seed of [1, 2]) {
  test(`sixty seconds of runs, exits, aborts and resizes settle every promise (seed ${seed})`, () => soak(seed, 60_000))
}
