import { describe, expect, test } from 'vitest'
import { KILL_VARIANTS, killAndResume } from './kill-and-resume.js'

describe('a run killed at random moments and resumed', () => {
  for (const [index, variant] of KILL_VARIANTS.entries()) {
    test(`${variant.name}: has every record exactly once`, { timeout: 240_000 }, async () => {
      await expect(killAndResume(variant, 100 + index, 5)).resolves.toBeUndefined()
    })
  }
})
