import { existsSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { type PublicName, publicNames, publicSources } from './public-surface.js'

const sources = publicSources(manifest.exports)
const exported = publicNames([...sources.values()])

const CASE: Record<PublicName['kind'], RegExp> = {
  class: /^[A-Z][A-Za-z0-9]*$/,
  type: /^[A-Z][A-Za-z0-9]*$/,
  function: /^[a-z][A-Za-z0-9]*$/,
  value: /^(?:[a-z][A-Za-z0-9]*|[A-Z][A-Z0-9_]*)$/,
  member: /\.[a-z][A-Za-z0-9]*$/,
}

const undocumented = (names: readonly PublicName[]) => names.filter((n) => !n.documented).map((n) => n.name)
const misnamed = (names: readonly PublicName[]) => names.filter((n) => !CASE[n.kind].test(n.name)).map((n) => n.name)

function planted(text: string): PublicName[] {
  const path = '/planted.ts'
  const host = ts.createCompilerHost({})
  const { getSourceFile, fileExists } = host
  host.getSourceFile = (name, version) =>
    name === path ? ts.createSourceFile(name, text, version) : getSourceFile.call(host, name, version)
  host.fileExists = (name) => name === path || fileExists.call(host, name)
  return publicNames([path], host).get(path)!
}

describe.each([...sources])('evenkeel with subpath %s', (_, path) => {
  test('has a source that exports something', () => {
    expect(existsSync(path)).toBe(true)
    expect(exported.get(path)).not.toEqual([])
  })

  test('documents every export, every method of a class and every option', () => {
    expect(undocumented(exported.get(path)!)).toEqual([])
  })

  test('names classes and types in PascalCase, the rest in camelCase', () => {
    expect(misnamed(exported.get(path)!)).toEqual([])
  })
})

describe('public surface rules', () => {
  test('an export and a member without documentation are seen', () => {
    const names = planted(
      '/** A. */\nexport class A { b(): void {} #c(): void {} }\nexport const d = 1\n/** O. */\nexport interface DOptions { e: 1 }',
    )
    expect(undocumented(names)).toEqual(['A.b', 'd', 'DOptions.e'])
  })

  test('names in the wrong case are seen', () => {
    const names = planted(
      'export class lower {}\nexport function Upper(): void {}\nexport type t = 1\nexport const fine = 1',
    )
    expect(misnamed(names).sort()).toEqual(['Upper', 'lower', 't'])
  })
})
