import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { catalogue } from '../../src/selection/index.js'
import { listFiles, projectRoot, readTree } from '../support/source/tree.js'
import {
  anchorsOf,
  brokenHeadingLinks,
  brokenLinks,
  type Example,
  missingSteps,
  sectionOf,
  stepsOf,
  tableKeys,
  testedExamples,
} from './documents.js'

const run = promisify(execFile)
const tree = readTree(/\.md$|^(?:src|workers|bench|test\/(?!architecture\/)).*\.[cm]?ts$/)
const paths = new Set(listFiles())

function readme(): string {
  const text = tree.get('README.md')
  expect(text, 'README.md').toBeDefined()
  return text!
}

/** Runs the examples of one section in a folder where the package is installed; answers what they print. */
async function runExamples(examples: readonly Example[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-example-'))
  try {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(projectRoot, join(folder, 'node_modules', 'evenkeel'), 'junction')
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    for (const { file, code } of examples) writeFileSync(join(folder, file), code)
    const { stdout } = await run(process.execPath, [examples.at(-1)!.file], { cwd: folder, timeout: 60_000 })
    return stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
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

  test('the examples of the README run and print something', async () => {
    const examples = testedExamples(readme())
    expect(examples).not.toEqual([])
    const sections = [...new Set(examples.map(({ section }) => section))]
    const programs = sections.map((title) => examples.filter(({ section }) => section === title))
    for (const program of programs) expect(await runExamples(program)).not.toBe('')
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

  test('an example that fails is seen, and one that works prints', async () => {
    const fence = '```'
    const text = `# A\n${fence}js tested one.js\nexport const one = 1\n${fence}\n${fence}js tested main.js\nimport { one } from './one.js'\nconsole.log(one)\n${fence}\n${fence}js\nnot run\n${fence}\n# B\n${fence}js tested main.js\nthrow new Error('fails')\n${fence}`
    const examples = testedExamples(text)
    expect(examples.map(({ section, file }) => `${section} ${file}`)).toEqual(['A one.js', 'A main.js', 'B main.js'])
    expect(await runExamples(examples.slice(0, 2))).toBe('1\n')
    await expect(runExamples(examples.slice(2))).rejects.toThrow('fails')
  })
})
