import { describe, expect, test } from 'vitest'
import { readTree } from '../support/source/tree.js'
import { runProgram, testedPrograms } from './examples.js'

const programs = [...readTree(/^README\.md$|^docs\/.*\.md$/)]
  .flatMap(([page, text]) => testedPrograms(text).map((program) => ({ page, ...program })))
  .filter(({ isSlow }) => isSlow)

describe('slow examples', () => {
  test.each(programs)('$page, $section: runs and prints something', async (program) => {
    expect(await runProgram(program)).not.toBe('')
  })
})
