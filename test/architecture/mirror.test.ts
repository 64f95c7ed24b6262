import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { parse } from '../support/source/syntax.js'
import { listFiles, readSources } from '../support/source/tree.js'

/** True when nothing of the file is left to run: declarations of types, and lists of names. */
function holdsNoCode(path: string, text: string): boolean {
  return parse(path, text).statements.every(
    (statement) =>
      ts.isImportDeclaration(statement) ||
      ts.isExportDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement),
  )
}

/** Source files with code and without a test of the same name in the same place below `test`. */
function withoutTest(sources: ReadonlyMap<string, string>, tests: readonly string[]): string[] {
  const mirrored = new Set(tests.map((path) => path.replace(/(?:\.(?:browser|full|package))?\.test\.ts$/, '')))
  return [...sources]
    .filter(([path, text]) => !holdsNoCode(path, text))
    .map(([path]) => path)
    .filter((path) => !mirrored.has(path.replace(/^src\//, 'test/').replace(/\.ts$/, '')))
}

describe('tests', () => {
  test('every file of src that holds code has a test of its own', () => {
    const tests = listFiles().filter((path) => /^test\/.*\.test\.ts$/.test(path))
    expect(withoutTest(readSources('src'), tests)).toEqual([])
  })

  test('a file with code and no test is seen; types and lists of names need none', () => {
    const sources = new Map([
      ['src/base/tested.ts', 'export const a = 1'],
      ['src/base/slow.ts', 'export const a = 1'],
      ['src/base/untested.ts', 'export const a = 1'],
      ['src/base/shape.ts', "import type { B } from './b.js'\nexport interface A extends B {}\nexport type C = A"],
      ['src/index.ts', "export { a } from './base/tested.js'"],
    ])
    expect(withoutTest(sources, ['test/base/tested.test.ts', 'test/base/slow.full.test.ts'])).toEqual([
      'src/base/untested.ts',
    ])
  })

  test('none is switched off or run alone', () => {
    const off = [...readSources('test')].filter(([, text]) => /\b(?:test|describe|it)\.(?:only|skip|todo)\(/.test(text))
    expect(off.map(([path]) => path)).toEqual([])
  })
})
