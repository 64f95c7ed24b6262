import { describe, expect, test } from 'vitest'
import { readTree } from '../support/source/tree.js'
import {
  blocksOf,
  crowdedSections,
  type Program,
  runProgram,
  testedPrograms,
  typeFaults,
  untestedBlocks,
} from './examples.js'

const pages = readTree(/^README\.md$|^docs\/.*\.md$/)

/** A machine that is busy with other tests. */
const TIMEOUT_MS = 60_000

describe('examples', () => {
  test('no page of docs shows code that nothing runs', () => {
    const untested = [...pages].filter(([page]) => page.startsWith('docs/')).flatMap(([, text]) => untestedBlocks(text))
    expect(untested).toEqual([])
  })

  test('the TypeScript of the README compiles beside its tasks, and a wrong name or payload does not', {
    timeout: TIMEOUT_MS,
  }, () => {
    const readme = pages.get('README.md')!
    const blocks = blocksOf(readme, 'ts')
    expect(blocks).toHaveLength(1)
    const { files } = testedPrograms(readme).find(({ section }) => section === 'Embed it')!
    const tasks = { file: 'tasks.ts', code: files[0]!.code.replace('(text)', '(text: string)') }
    const faults = (...more: string[]) =>
      typeFaults([
        tasks,
        { file: 'main.ts', code: ["import { Dispatcher } from 'evenkeel'", ...blocks, ...more].join('\n') },
      ])
    expect(faults('const text: string = digest')).toEqual([])
    expect(faults("pool.run('sha1', 'a')", "pool.run('sha256', 1)")).toHaveLength(2)
  })

  test('no section holds two programs', () => {
    expect(crowdedSections([...pages.values()].flatMap(testedPrograms))).toEqual([])
  })
})

describe('rules of examples', () => {
  const fence = '```'
  const block = (opening: string, code: string) => `${fence}${opening}\n${code}\n${fence}`
  const page = [
    '# A',
    block('js tested one.js', 'export const one = 1'),
    block('js tested main.js', "import { one } from './one.js'\nconsole.log(one)"),
    block('text printed', '1'),
    block('js', 'not run'),
    '# B',
    block('js tested main.js', "throw new Error('fails')"),
    '# C',
    block('jsonl tested in.jsonl', '{"a":1}'),
    block('sh tested', 'cat in.jsonl'),
    block('sh tested', '# no heading\necho end'),
    '# D',
    block('sh tested slowly', 'true'),
  ].join('\n')
  const found = testedPrograms(page)
  const program = (section: string): Program => found.find((one) => one.section === section)!

  test('the blocks of a section are one program', () => {
    expect(found.map(({ section, files }) => [section, ...files.map(({ file }) => file)])).toEqual([
      ['A', 'one.js', 'main.js'],
      ['B', 'main.js'],
      ['C', 'in.jsonl', 'commands.sh'],
      ['D', 'commands.sh'],
    ])
    expect(program('A').prints).toBe('1')
    expect(found.filter(({ isSlow }) => isSlow)).toEqual([program('D')])
  })

  test('a program that fails is seen, and one that works prints', async () => {
    expect(await runProgram(program('A'))).toBe('1\n')
    await expect(runProgram(program('B'))).rejects.toThrow('fails')
    expect(await runProgram(program('C'))).toBe('{"a":1}\nend\n')
  })

  test('a second program under the same heading is seen', () => {
    const twice = ['# E', block('js tested main.js', '1'), block('js tested main.js', '2')].join('\n')
    expect(crowdedSections(testedPrograms(twice))).toEqual(['E'])
    expect(crowdedSections(found)).toEqual([])
  })

  test('code that nothing runs is seen, plain text is not', () => {
    expect(untestedBlocks(page)).toEqual(['```js'])
    expect(untestedBlocks(block('text', 'a'))).toEqual([])
    expect(untestedBlocks(block('sh', 'a'))).toEqual(['```sh'])
  })
})
