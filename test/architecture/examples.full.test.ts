import { describe, expect, test } from 'vitest'
import { readTree } from '../support/source/tree.js'
import { runProgram, testedPrograms } from './examples.js'

const programs = [...readTree(/^README\.md$|^docs\/.*\.md$/)].flatMap(([page, text]) =>
  testedPrograms(text).map((program) => ({ page, ...program })),
)

describe('examples', () => {
  test.each(programs)('$page, $section: runs and prints what the page says', async (program) => {
    const printed = await runProgram(program)
    // What a slow one prints is a measurement.
    if (program.isSlow || program.prints === undefined) expect(printed).not.toBe('')
    else expect(printed.trimEnd()).toBe(program.prints)
  })
})
