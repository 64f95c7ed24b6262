import { expect, test } from 'vitest'
import { readTree } from '../support/source/tree.js'

const tree = readTree(/^docs\/piscina-abilities\.md$|^test\/.*\.test\.ts$/)

/** Rows of the table whose test does not exist, by the text of the row. */
function unproven(page: string): string[] {
  return page.split('\n').filter((row) => {
    const [, path, name] = /\| `(test\/[^`]+\.test\.ts)`: (.+) \|$/.exec(row) ?? []
    return path !== undefined && !tree.get(path)?.includes(name!)
  })
}

test('each ability of other pools is proven by a test that exists', () => {
  const page = tree.get('docs/piscina-abilities.md')!
  expect(unproven(page)).toEqual([])
  const rows = page.split('\n').filter((row) => /^\| (?!there)/.test(row))
  const withoutTest = rows.filter((row) => !row.includes('`test/') && !row.includes('not offered'))
  expect([rows.length > 80, withoutTest]).toEqual([true, []])
})

test('a row whose test is gone is seen', () => {
  expect(unproven('| a | b | `test/architecture/abilities.test.ts`: a row whose test is gone is seen |')).toEqual([])
  expect(unproven('| a | b | `test/gone.test.ts`: name |')).toHaveLength(1)
})
