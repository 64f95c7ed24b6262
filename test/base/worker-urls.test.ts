import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { builtinTaskUrls, threadEntryUrl } from '../../src/base/worker-urls.js'
import { readSources } from '../support/source/tree.js'

test('every URL leads to a built file', () => {
  for (const url of [threadEntryUrl, ...Object.values(builtinTaskUrls)]) {
    expect(url.pathname).toContain('/dist/workers/')
    expect(existsSync(url), url.href).toBe(true)
  }
})

test('no other source names a file under workers', () => {
  const naming = [...readSources('src')].filter(([, text]) => /['"`][./]*\/?workers\/[\w/-]+\.c?js/.test(text))
  expect(naming.map(([path]) => path)).toEqual(['src/base/worker-urls.ts'])
})
