/** Bundlers and test runners other than esbuild and vitest, each in a project that has evenkeel and nothing else of ours. */

import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { InstalledPackage } from './installed-package.js'

const PACKAGES = [
  'jest@30',
  'webpack@5',
  'webpack-cli@6',
  'rollup@4',
  '@rollup/plugin-commonjs',
  '@rollup/plugin-node-resolve',
]

/** A gate needs p-queue, which is an ECMAScript module. */
const options = (beside: (name: string) => string) => `{
  module: ${beside('tasks.cjs')}, threadFile: ${beside('thread.cjs')}, workers: 1, gates: { one: { concurrency: 1 } },
}`

const APP_CJS = `
const { join } = require('node:path')
const { Dispatcher } = require('evenkeel')
async function main() {
  const pool = new Dispatcher(${options((name) => `join(__dirname, '${name}')`)})
  console.log(await pool.run('double', 1), await pool.run('double', 2, { gate: 'one' }))
  await pool.close()
}
main()
`

const APP_ESM = `
import { Dispatcher } from 'evenkeel'
const beside = (name) => new URL(name, import.meta.url)
const pool = new Dispatcher(${options((name) => `beside('./${name}')`)})
console.log(await pool.run('double', 1), await pool.run('double', 2, { gate: 'one' }))
await pool.close()
`

const TEST_CJS = `
const { join } = require('node:path')
const { Dispatcher } = require('evenkeel')
const { mapFile } = require('evenkeel/batch')

test('tasks run', async () => {
  expect(typeof mapFile).toBe('function')
  const pool = new Dispatcher({ module: join(__dirname, 'tasks.cjs'), workers: 1, gates: { one: { concurrency: 1 } } })
  expect(await pool.run('double', 1)).toBe(2)
  expect(await pool.run('double', 2, { gate: 'one' })).toBe(4)
  await pool.close()
})
`

const WEBPACK = (folder: string) => `module.exports = {
  mode: 'production', target: 'node', entry: './app.cjs', output: { path: '${folder}', filename: 'app.cjs' },
  node: { __dirname: false },
}`

const ROLLUP = (folder: string) => `
import commonjs from '@rollup/plugin-commonjs'
import nodeResolve from '@rollup/plugin-node-resolve'
export default {
  input: 'app.mjs',
  output: { dir: '${folder}', format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
  plugins: [nodeResolve({ preferBuiltins: true }), commonjs()],
  external: [/^node:/],
}`

const VITE = (folder: string) => `export default {
  build: { ssr: 'app.mjs', outDir: '${folder}', emptyOutDir: true, target: 'node20' }, ssr: { noExternal: true },
}`

let installed: InstalledPackage
/** Where bundles are deployed to: nothing is installed there or above. */
let deployed: string

beforeAll(async () => {
  installed = await InstalledPackage.create()
  await installed.run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...PACKAGES])
  installed.link('vite')
  deployed = mkdtempSync(join(tmpdir(), 'evenkeel-deployed-'))
  installed.write('app.cjs', APP_CJS)
  installed.write('app.mjs', APP_ESM)
  installed.write('tasks.cjs', 'exports.double = (n) => 2 * n\n')
  installed.write('tasks.test.cjs', TEST_CJS)
}, 240_000)
afterAll(() => {
  installed?.remove()
  rmSync(deployed, { recursive: true, force: true })
})

describe('an app with evenkeel inside its bundle', () => {
  test.each([
    ['webpack', 'app.cjs', 'webpack.config.cjs', WEBPACK, ['--config', 'webpack.config.cjs']],
    ['rollup', 'app.mjs', 'rollup.config.mjs', ROLLUP, ['--config', 'rollup.config.mjs', '--silent']],
    ['vite', 'app.mjs', 'vite.config.mjs', VITE, ['build', '--logLevel', 'error']],
  ] as const)('made by %s runs tasks', async (tool, program, configFile, config, flags) => {
    const folder = join(deployed, tool)
    installed.write(configFile, config(folder))
    await installed.run('npx', ['--no-install', tool, ...flags])
    writeFileSync(join(folder, 'tasks.cjs'), 'exports.double = (n) => 2 * n\n')
    const threadFile = createRequire(join(installed.folder, 'any.js')).resolve('evenkeel/thread')
    copyFileSync(threadFile, join(folder, 'thread.cjs'))
    expect(await installed.run(process.execPath, [join(folder, program)], tmpdir())).toBe('2 4\n')
  })
})

test('a test of the user runs tasks in the CommonJS mode of Jest', async () => {
  const flags = ['--testMatch', '**/tasks.test.cjs', '--json', '--silent']
  const report = JSON.parse(await installed.run('npx', ['--no-install', 'jest', ...flags]))
  expect(report).toMatchObject({ numPassedTests: 1, numFailedTests: 0 })
})
