import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { type ErrorCode, EvenkeelError } from '../../src/base/errors.js'
import { EXIT } from '../../src/cli/exit-codes.js'
import { mapProgram } from '../../src/cli/map-arguments.js'
import { catalogue } from '../../src/selection/index.js'
import { listFiles, projectRoot, readTree } from '../support/source/tree.js'
import {
  anchorsOf,
  brokenHeadingLinks,
  brokenLinks,
  headingsOf,
  literalsOf,
  membersOf,
  missingSteps,
  roomsOf,
  sectionOf,
  stepsOf,
  tableKeys,
  unnamed,
} from './documents.js'
import { publicSources } from './public-surface.js'

const tree = readTree(/\.md$|^(?:src|workers|bench|test\/(?!architecture\/)).*\.[cm]?ts$/)
const paths = new Set(listFiles())

function page(path: string): string {
  const text = tree.get(path)
  expect(text, path).toBeDefined()
  return text!
}

const readme = () => page('README.md')

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

  test('every error code has its section, in the order of the source, and no section is of another', () => {
    const codes = literalsOf(page('src/base/errors.ts'), 'ErrorCode')
    expect(codes.length).toBeGreaterThan(10)
    const sections = headingsOf(page('docs/errors.md'), 2).filter((title) => title.startsWith('EVENKEEL_'))
    expect(sections).toEqual(codes)
  })

  test('the page of errors says of each code whether it is retryable, as the code does', () => {
    const text = page('docs/errors.md')
    const codes = literalsOf(page('src/base/errors.ts'), 'ErrorCode') as ErrorCode[]
    const said = codes.map((code) => [code, /\| retryable \| (\w+) \|/.exec(sectionOf(text, code)!)?.[1]])
    expect(said).toEqual(codes.map((code) => [code, new EvenkeelError(code, '').retryable ? 'yes' : 'no']))
  })

  test.each([
    ['src/dispatcher/options/options.ts', 'DispatcherOptions', 'docs/embed.md'],
    ['src/dispatcher/options/run-options.ts', 'RunOptions', 'docs/embed.md'],
    ['src/dispatcher/map.ts', 'MapOptions', 'docs/embed.md'],
    ['src/dispatcher/options/events.ts', 'DispatcherEvents', 'docs/embed.md'],
    ['src/protocol/task-contract.ts', 'TaskContext', 'docs/embed.md'],
    ['src/batch/options/map-options.ts', 'MapFileOptions', 'docs/batch.md'],
    ['src/batch/options/batch-progress.ts', 'BatchEvents', 'docs/batch.md'],
  ])('%s: all of %s stands in %s', (source, name, guide) => {
    const names = membersOf(page(source), name)
    expect(names).not.toEqual([])
    expect(unnamed(names, page(guide))).toEqual([])
  })

  test.each(['src/dispatcher', 'src/batch', 'src'])(
    'the guide for contributors has all rooms of %s, and no others',
    (folder) => {
      const depth = folder.split('/').length
      const inside = [...paths].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.split('/'))
      const folders = inside.filter(({ length }) => length > depth + 1).map((names) => names[depth])
      expect(roomsOf(page('CONTRIBUTING.md'), folder).sort()).toEqual([...new Set(folders)].sort())
    },
  )

  test('the API reference is made from every subpath of the package', () => {
    const entries = manifest.scripts.docs.match(/src\/\S+\.ts/g)!
    expect(entries.map((entry) => join(projectRoot, entry)).sort()).toEqual(
      [...publicSources(manifest.exports).values()].sort(),
    )
  })

  test('the page on batch work names every option and exit code of the command', () => {
    const options = mapProgram().options.map(({ long }) => long!)
    expect(unnamed(options, page('docs/batch.md'))).toEqual([])
    const codes = sectionOf(page('docs/batch.md'), 'Exit codes')!.match(/\d+(?=[,\s|])/g)!
    expect(codes.map(Number).sort()).toEqual(Object.values(EXIT).sort())
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

  test('rooms are the names in the first column of their table', () => {
    const tables =
      '| in `src` | holds |\n|---|---|\n| `a`, its `b` | `c` |\n| (top) | d |\n\n| in `src/a` | |\n|---|---|\n| `e` | |'
    expect([roomsOf(tables, 'src'), roomsOf(tables, 'src/a'), roomsOf(tables, 'x')]).toEqual([['a', 'b'], ['e'], []])
  })

  test('members, literals and headings are found, and names that a page lacks', () => {
    const text = "interface A { readonly b?: number; c(): void }\ntype D = 'e' | 'f'"
    expect(membersOf(text, 'A')).toEqual(['b', 'c'])
    expect(literalsOf(text, 'D')).toEqual(['e', 'f'])
    expect(headingsOf(markdown, 2)).toEqual(['Life of a task', 'Next `part`'])
    expect(unnamed(['a', 'b', '--c-d', 'e'], 'has `a`, `b: 1`, `--c-d=x` and no e')).toEqual(['e'])
  })

  test('steps whose file or function is gone are seen', () => {
    const steps = stepsOf(sectionOf(markdown, 'Life of a task')!)
    expect(steps).toHaveLength(4)
    expect(missingSteps(steps, small)).toEqual(['src/base/a.ts#gone does not exist', 'src/b.ts#start does not exist'])
  })
})
