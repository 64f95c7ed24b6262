import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { threadEntryUrl } from '../../src/base/worker-urls.js'

describe('the built entry of a thread', () => {
  const text = readFileSync(threadEntryUrl, 'utf8')

  test('is one file: it loads nothing but what Node brings and the task module', () => {
    const loaded = [...text.matchAll(/\b(?:require|import)\(([^)]*)\)/g)].map(([, what]) => what!)
    // The module is in a variable, whose name is a letter.
    const foreign = loaded.filter((what) => !/^["'`]node:|^\w?$/.test(what))
    expect(foreign).toEqual([])
    expect(text).toMatch(/\bimport\(\w\)/)
  })

  test('leads back to the sources', () => {
    const { sources } = JSON.parse(readFileSync(`${threadEntryUrl.pathname}.map`, 'utf8')) as { sources: string[] }
    expect(sources).toEqual(expect.arrayContaining(['../../workers/executor.ts', '../../src/board/claims.ts']))
  })
})
