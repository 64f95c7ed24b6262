import { mkdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { resolveModule } from '../../src/cli/module-reference.js'
import { scratchFolder } from '../batch/scratch-folder.js'

test('paths, file URLs, packages and built-in tasks are found', () => {
  const folder = scratchFolder()
  const root = folder.path('.')
  folder.write('tasks.mjs', 'export default 1')
  folder.write('odd#name %20.mjs', '')
  mkdirSync(folder.path('node_modules/pkg'), { recursive: true })
  folder.write('node_modules/pkg/index.js', '')
  const url = pathToFileURL(folder.path('tasks.mjs')).href
  expect(resolveModule('./tasks.mjs#run', root)).toMatchObject({ url, task: 'run', path: folder.path('tasks.mjs') })
  expect(resolveModule('tasks.mjs', root)).toMatchObject({ url, task: undefined })
  expect(resolveModule(`${url}#run`, root)).toMatchObject({ url, task: 'run' })
  expect(resolveModule('odd#name %20.mjs', root).url).toBe(pathToFileURL(folder.path('odd#name %20.mjs')).href)
  expect(resolveModule('odd#name %20.mjs#t', root)).toMatchObject({ task: 't', path: folder.path('odd#name %20.mjs') })
  expect(resolveModule('pkg#x', root).path).toBe(folder.path('node_modules/pkg/index.js'))
  // Read from dist/workers, for its hash.
  expect(resolveModule('builtin:fingerprint', root)).toMatchObject({ task: 'fingerprint' })
})

test('the hash follows the text', () => {
  const folder = scratchFolder()
  folder.write('a.mjs', 'one')
  const before = resolveModule('a.mjs', folder.path('.')).sha256
  folder.write('a.mjs', 'two')
  expect(resolveModule('a.mjs', folder.path('.')).sha256).not.toBe(before)
})

test('what is not there is refused with what was looked for', () => {
  const root = scratchFolder().path('.')
  for (const [reference, text] of [
    ['./gone.mjs', 'gone.mjs'],
    ['gone-package', 'gone-package'],
    ['builtin:gone', 'fingerprint'],
    ['file:///gone.mjs', 'gone.mjs'],
    ['file://host/gone.mjs', 'host'],
    ['./gone.mjs#', 'no task'],
    ['.', 'cannot read module .: it is a directory'],
  ] as const) {
    expect(() => resolveModule(reference, root)).toThrow(expect.objectContaining({ code: 'EVENKEEL_BATCH_USAGE' }))
    expect(() => resolveModule(reference, root)).toThrow(text)
  }
})
