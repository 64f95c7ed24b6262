import { describe, expect, test } from 'vitest'
import { catalogue } from '../../src/selection/index.js'
import { listFiles, readTree } from '../support/source/tree.js'
import { anchorsOf, brokenHeadingLinks, brokenLinks, missingSteps, sectionOf, stepsOf, tableKeys } from './documents.js'

const tree = readTree(/\.md$|^(?:src|workers|bench|test\/(?!architecture\/)).*\.[cm]?ts$/)
const paths = new Set(listFiles())

function readme(): string {
  const text = tree.get('README.md')
  expect(text, 'README.md').toBeDefined()
  return text!
}

describe('documents', () => {
  test('every link leads to a file or a heading', () => {
    expect(brokenLinks(tree, paths)).toEqual([])
  })

  test('every heading that a source points to exists', () => {
    expect(brokenHeadingLinks(tree)).toEqual([])
  })

  test('the life of a task names files and functions that exist', () => {
    const steps = stepsOf(sectionOf(readme(), 'Life of a task') ?? '')
    expect(steps.length).toBeGreaterThan(5)
    expect(missingSteps(steps, tree)).toEqual([])
  })

  test('the README has a table of the strategies, each in the order of the catalogue', () => {
    const names = catalogue.map(({ name }) => name)
    const keys = tableKeys(readme()).filter((key) => (names as string[]).includes(key))
    expect(keys).toEqual(names)
  })
})

describe('document rules', () => {
  const markdown = [
    '# Top',
    '[a](#life-of-a-task) [b](#nowhere) [c](docs/gone.md) [d](docs/there.md#part-1) [e](https://example.org/x)',
    '```',
    '[in code](gone.md)',
    '# not a heading',
    '```',
    '## Life of a task',
    '1. `src/base/a.ts#start` then `src/base/a.ts#Thing.stop` then `src/base/a.ts#gone` then `src/b.ts#start`',
    '## Next `part`',
  ].join('\n')
  const small = new Map([
    ['README.md', markdown],
    ['docs/there.md', '# Part\n# Part'],
    ['src/base/a.ts', '// see README.md#top, README.md#gone\nexport function start() {}\nclass Thing { #stop() {} }'],
  ])

  test('links to a missing file or heading are seen, links in code are not', () => {
    const broken = brokenLinks(small, new Set(small.keys()))
    expect(broken).toEqual(['README.md: #nowhere names no heading', 'README.md: docs/gone.md leads nowhere'])
  })

  test('headings get the anchors of the hosting site', () => {
    expect([...anchorsOf(markdown)]).toEqual(['top', 'life-of-a-task', 'next-part'])
  })

  test('a heading that a source points to and that is gone is seen', () => {
    expect(brokenHeadingLinks(small)).toEqual(['src/base/a.ts: README.md#gone names no heading'])
  })

  test('table rows are known by the code in their first cell', () => {
    expect(tableKeys('| name | x |\n|---|---|\n| `a-b` | `c` |\n| `d` { n 2 } | |')).toEqual(['a-b', 'd'])
  })

  test('steps whose file or function is gone are seen', () => {
    const steps = stepsOf(sectionOf(markdown, 'Life of a task')!)
    expect(steps).toHaveLength(4)
    expect(missingSteps(steps, small)).toEqual(['src/base/a.ts#gone does not exist', 'src/b.ts#start does not exist'])
  })
})
