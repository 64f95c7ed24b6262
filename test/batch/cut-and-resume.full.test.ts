import { describe, test } from 'vitest'
import { CUT_VARIANTS, cutAndResume } from './cut-and-resume.js'

describe('output and journal cut at any byte', () => {
  for (const [name, more] of CUT_VARIANTS) {
    test(`${name}: resumed, every record is there exactly once`, () => cutAndResume(more, 1))
  }
})
