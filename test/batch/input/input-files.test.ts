import { mkdirSync } from 'node:fs'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { findInputs } from '../../../src/batch/input/input-files.js'
import { type ScratchFolder, scratchFolder } from '../scratch-folder.js'

async function names(folder: ScratchFolder, ...patterns: string[]): Promise<string[]> {
  const root = folder.path('')
  const sources = await findInputs(
    patterns.map((pattern) => (pattern === '-' ? '-' : folder.path(pattern))),
    new Readable(),
  )
  return sources.map(({ name }) => name.replace(`${root}/`, ''))
}

function tree(): ScratchFolder {
  const folder = scratchFolder()
  mkdirSync(folder.path('sub/deep'), { recursive: true })
  for (const name of [
    'a.txt',
    'b.txt',
    'ab.txt',
    '.hidden.txt',
    'c.jsonl',
    'x[1].txt',
    'sub/d.txt',
    'sub/deep/e.txt',
  ]) {
    folder.write(name, name)
  }
  return folder
}

test('patterns give their files sorted, names keep the order given', async () => {
  const folder = tree()
  expect(await names(folder, 'c.jsonl', '*.txt')).toEqual(['c.jsonl', 'a.txt', 'ab.txt', 'b.txt', 'x[1].txt'])
  expect(await names(folder, '?.txt')).toEqual(['a.txt', 'b.txt'])
  expect(await names(folder, '[!a].txt')).toEqual(['b.txt'])
  expect(await names(folder, '{c.jsonl,a.*}')).toEqual(['a.txt', 'c.jsonl'])
  expect(await names(folder, '.h*')).toEqual(['.hidden.txt'])
})

test('two stars stand for any depth, a name that is there for itself', async () => {
  const folder = tree()
  expect(await names(folder, 'sub/**/*.txt')).toEqual(['sub/d.txt', 'sub/deep/e.txt'])
  expect(await names(folder, '*/*/e.txt')).toEqual(['sub/deep/e.txt'])
  expect(await names(folder, 'x[1].txt')).toEqual(['x[1].txt'])
})

test('standard input may be named, once', async () => {
  const folder = tree()
  expect(await names(folder, 'a.txt', '-')).toEqual(['a.txt', 'standard input'])
  await expect(names(folder, '-', '-')).rejects.toThrow('twice')
})

test('what is not there or is a folder is refused by name', async () => {
  const folder = tree()
  await expect(names(folder, '*.csv')).rejects.toThrow('no file matches')
  await expect(names(folder, 'nothing.txt')).rejects.toThrow('nothing.txt')
  await expect(names(folder, 'sub')).rejects.toThrow('directory')
})
