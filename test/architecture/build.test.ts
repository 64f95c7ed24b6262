import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listFiles, projectRoot } from '../support/source/tree.js'

let root: string
const write = (path: string, text = '') => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'evenkeel-build-'))
  mkdirSync(join(root, '.ci'))
  cpSync(join(projectRoot, '.ci/finish-build.mjs'), join(root, '.ci/finish-build.mjs'))
  write('src/main.ts')
  write('workers/entry.cts')
  write('src/dashboard/page/page.css', 'p {}')
  write('src/dashboard/page/main.js')
  write('dist/src/dashboard/page/gone.js')
  for (const stem of ['src/main', 'src/gone', 'src/old/gone']) {
    for (const suffix of ['.js', '.js.map', '.d.ts']) write(`dist/${stem}${suffix}`)
  }
  for (const suffix of ['.cjs', '.cjs.map', '.d.cts', '.js']) write(`dist/workers/entry${suffix}`)
  write('dist/notes.txt')
  execFileSync(process.execPath, [join(root, '.ci/finish-build.mjs')])
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('the end of a build leaves outputs of existing sources and copies of what is not compiled, nothing else', () => {
  expect(listFiles(join(root, 'dist')).sort()).toEqual([
    'src/dashboard/page/main.js',
    'src/dashboard/page/page.css',
    'src/main.d.ts',
    'src/main.js',
    'src/main.js.map',
    'workers/entry.cjs',
    'workers/entry.cjs.map',
    'workers/entry.d.cts',
  ])
})
