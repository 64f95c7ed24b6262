import { describe, expect, test } from 'vitest'
import { KILL_VARIANTS, killAndResume } from './kill-and-resume.js'

describe('200 runs killed at random moments and resumed', () => {
  for (const [index, variant] of KILL_VARIANTS.entries()) {
    test(`${variant.name}: have every record exactly once`, { timeout: 1_800_000 }, async () => {
      await expect(killAndResume(variant, 1000 + index, 50)).resolves.toBeUndefined()
    })
  }
})
