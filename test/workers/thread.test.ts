import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { threadEntryUrl } from '../../src/base/worker-urls.js'

describe('the built file for threads of bundled apps', () => {
  const text = readFileSync(new URL('thread.cjs', threadEntryUrl), 'utf8')

  test('is one file: it loads nothing but what Node brings, what it is told to, and an optional package', () => {
    const loaded = [...text.matchAll(/\b(?:require|import)\(([^)]*)\)/g)].map(([, what]) => what!)
    // What it is told to load is in variables, whose names are letters.
    const foreign = loaded.filter((what) => !/^["'`]node:|^\w*$/.test(what))
    expect(foreign.map((what) => what.slice(1, -1))).toEqual(['@napi-rs/nice'])
    expect(text).toMatch(/\bimport\(\w\)/)
  })

  test('starts itself in threads, not a file beside it', () => {
    expect(text).toMatch(/filename:\s*__filename/)
    expect(text).not.toMatch(/__dirname/)
  })

  test('carries the licence of what it contains', () => {
    expect(text.slice(0, 300)).toContain('James M Snell and the Piscina contributors')
  })
})
