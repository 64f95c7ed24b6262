import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { importCycles, importGraph } from '../support/source/imports.js'
import { projectRoot, readSources } from '../support/source/tree.js'
import { forbiddenImports } from './import-rules.js'

const graph = importGraph(readSources('src', 'workers', 'bench'))

/** A made-up tree: paths with texts. */
function planted(files: Record<string, string>) {
  return importGraph(new Map(Object.entries(files)))
}

describe('import table', () => {
  test('no file imports what the table does not allow', () => {
    expect(forbiddenImports(graph)).toEqual([])
  })

  test('integration tests import the public surface alone', () => {
    const all = importGraph(readSources('test/integration'))
    expect(forbiddenImports(all)).toEqual([])
  })

  test.each([
    ['an upward import', 'src/base/a.ts', "import { b } from '../engine/b.js'"],
    ['an import of a later room', 'src/dispatcher/crew/a.ts', "import { b } from '../routing/b.js'"],
    ['an import of what wires the rooms', 'src/dispatcher/intake/a.ts', "import { b } from '../dispatch-core.js'"],
    ['an import of types alone', 'src/selection/a.ts', "import type { B } from '../board/b.js'"],
    ['a type written as import()', 'src/load/a.ts', "let x: import('../board/b.js').B"],
    ['a re-export', 'src/protocol/a.ts', "export { b } from '../board/b.js'"],
    ['a dynamic import', 'src/engine/a.ts', "await import('../dispatcher/b.js')"],
    ['a require', 'workers/a.cts', "import b = require('../src/engine/b.js')"],
    ['an import from workers to the dispatcher side', 'workers/a.ts', "import { b } from '../src/board/row-reader.js'"],
    ['an import from src to workers', 'src/engine/a.ts', "import { b } from '../../workers/b.js'"],
    ['a value where only types may come', 'src/metrics/a.ts', "import { b } from '../dispatcher/options/events.js'"],
    ['a static import of the bench', 'src/cli/a.ts', "import { b } from '../../bench/main.js'"],
    ['what the public surface does not name', 'src/batch/a.ts', "import { b } from '../dispatcher/inner.js'"],
    ['an upward import between rooms', 'src/batch/records/a.ts', "import type { B } from '../flow/b.js'"],
    ['an import from a room to the top', 'src/batch/journal/a.ts', "import { b } from '../batch-run.js'"],
    ['a room of the batch that names the pool', 'src/batch/flow/a.ts', "import { D } from '../../index.js'"],
    ['a file of no part', 'src/misc/a.ts', 'export const a = 1'],
  ])('%s is seen', (_, path, text) => {
    expect(forbiddenImports(planted({ [path]: text }))).toHaveLength(1)
  })

  test('what the table allows passes', () => {
    const files = {
      'src/index.ts': "export { D } from './dispatcher/dispatcher.js'",
      'src/batch/a.ts': "import { D } from '../dispatcher/dispatcher.js'\nimport { c } from '../base/clock.js'",
      'src/dispatcher/routing/a.ts': "import { b } from '../crew/b.js'\nimport { c } from '../../base/c.js'",
      'src/batch/b.ts': "import { c } from './journal/c.js'",
      'src/batch/journal/c.ts': "import { d } from '../output/d.js'\nimport { e } from '../../records/e.js'",
      'src/metrics/a.ts': "import type { E } from '../dispatcher/options/events.js'",
      'src/cli/a.ts': "import { D } from '../index.js'\nawait import('../../bench/main.js')",
      'workers/a.ts': "import { row } from '../src/board/layout.js'\nimport fs from 'node:fs'",
    }
    expect(forbiddenImports(planted(files))).toEqual([])
  })
})

describe('import cycles', () => {
  test('no files import one another in a ring', () => {
    expect(importCycles(graph)).toEqual([])
  })

  test('a ring of three through a type is seen, and what hangs on it is not part of it', () => {
    const ring = planted({
      'src/base/a.ts': "import { b } from './b.js'",
      'src/base/b.ts': "import type { C } from './c.js'",
      'src/base/c.ts': "export { a } from './a.js'",
      'src/base/d.ts': "import { a } from './a.js'",
    })
    expect(importCycles(ring)).toEqual([['src/base/a.ts', 'src/base/b.ts', 'src/base/c.ts']])
  })

  test('a file that imports itself is seen', () => {
    expect(importCycles(planted({ 'src/base/a.ts': "import './a.js'" }))).toEqual([['src/base/a.ts']])
  })
})

describe('packages', () => {
  const packageOf = (specifier: string) =>
    specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/')
  const used = (prefix: RegExp) =>
    [...graph]
      .filter(([path]) => prefix.test(path))
      .flatMap(([, imports]) => imports)
      .filter(({ specifier, target }) => target === undefined && !isBuiltin(specifier))
      .map(({ specifier }) => packageOf(specifier))

  test('Node modules are named with their prefix', () => {
    const bare = [...graph.values()]
      .flat()
      .filter(({ specifier }) => !specifier.startsWith('node:') && isBuiltin(specifier))
    expect(bare).toEqual([])
  })

  test('src and workers use declared dependencies, and packages that become part of the published files', () => {
    const build = readFileSync(join(projectRoot, '.ci/build-package.mjs'), 'utf8')
    const bundled = /BUNDLED = \[(.*)\]/.exec(build)![1]!
    const undeclared = used(/^(?:src|workers)\//).filter((name) => !(name in manifest.dependencies))
    expect([...new Set(undeclared)].sort()).toEqual(bundled.replaceAll("'", '').split(', '))
  })

  test('the engine alone names piscina, and the file that holds both for bundled apps', () => {
    const users = [...graph].filter(([, imports]) =>
      imports.some(({ specifier }) => packageOf(specifier) === 'piscina'),
    )
    const allowed = /^(?:src\/engine\/|bench\/|workers\/thread\.cts$)/
    const outside = users.map(([path]) => path).filter((path) => !allowed.test(path))
    expect(outside).toEqual([])
  })
})
