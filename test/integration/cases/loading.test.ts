/** Task modules of every kind, and those that cannot be loaded. */

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { Dispatcher } from '../../../src/index.js'
import { caseTest, SLACK } from '../../support/case-host.js'
import { runHost } from '../../support/host-script.js'
import { errorOf, fixtureUrl, settledWithin, within } from '../../support/outcome.js'

const SECOND_MS = 1_000 * SLACK
const LOAD = { code: 'EVENKEEL_MODULE_LOAD' }
const loading = (name: string) => fixtureUrl(`loading/${name}`)

/** What cannot be loaded, and what its error must say besides the path. */
const BROKEN: readonly { url: URL; says: RegExp }[] = [
  { url: loading('no-such-file.mjs'), says: /Cannot find module/ },
  { url: loading('no-such-file.cjs'), says: /Cannot find module/ },
  { url: loading('esm-package'), says: /[Dd]irectory/ },
  { url: loading('esm-package/package.json'), says: /json|exports no function/i },
  { url: fixtureUrl('syntax-error.mjs', 'modules'), says: /syntax-error\.mjs:4/ },
  { url: fixtureUrl('syntax-error-inside.mjs', 'modules'), says: /syntax-error\.mjs:4/ },
  { url: fixtureUrl('syntax-error-long.mjs', 'modules'), says: /syntax-error-long\.mjs:12/ },
  { url: fixtureUrl('syntax-error.cjs', 'modules'), says: /syntax-error\.cjs:\d/ },
  { url: loading('throws.mjs'), says: /no luck at import/ },
  { url: loading('throws.cjs'), says: /no luck at import/ },
  { url: loading('throws-text.mjs'), says: /no luck at import/ },
  { url: loading('throws-null.mjs'), says: /null/ },
  { url: loading('throws-uncloneable.mjs'), says: /no luck at import/ },
  { url: loading('rejects.mjs'), says: /no luck at import/ },
  { url: loading('throws-later.mjs'), says: /no luck at import/ },
  { url: loading('exits.mjs'), says: /exit code 5/ },
  { url: loading('missing-import.mjs'), says: /not-there\.mjs/ },
  { url: loading('missing-package.mjs'), says: /a-package-that-nobody-has-installed/ },
  { url: loading('missing-name.mjs'), says: /minus/ },
  { url: loading('nothing.mjs'), says: /exports no function/ },
  { url: loading('bad-kinds.mjs'), says: /kinds\.plus/ },
  { url: new URL('https://localhost:1/tasks.mjs'), says: /https/ },
]

describe('a module that cannot be loaded', () => {
  for (const { url, says } of BROKEN) {
    const name = url.pathname.split('/').at(-1)
    caseTest(`rejects every call with where and why: ${name}`, async ({ brokenPool }) => {
      const two = brokenPool({ module: url, workers: 2 })
      const together = settledWithin(SECOND_MS * 2, [two.run('plus', 1), two.run('plus', 2), two.ready()])
      for (const outcome of await together) expect(outcome).toMatchObject(LOAD)
      const error = await errorOf(SECOND_MS * 2, two.run('plus', 3))
      expect(error).toMatchObject(LOAD)
      expect(`${error.message}\n${error.stack}`).toMatch(says)
      expect(error.message).toContain(name)
      await within(SECOND_MS, two.close())
    })
  }

  caseTest('does not spin: its starts are few', async ({ brokenPool }) => {
    const one = brokenPool({ module: loading('throws.mjs') })
    let exits = 0
    one.on('exit', () => exits++)
    await errorOf(SECOND_MS, one.run('plus', 1))
    await errorOf(SECOND_MS, one.run('plus', 1))
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(exits).toBeLessThanOrEqual(3)
  })
})

describe('a task is found', () => {
  const FILES = [
    'plus.mjs',
    'plus.cjs',
    'plus-object.cjs',
    'function.cjs',
    'computed.cjs',
    'reexport.cjs',
    'transpiled.cjs',
    'transpiled-named.cjs',
    'default-object.mjs',
    'default-function.mjs',
    'class.mjs',
    'star.mjs',
    'top-level-await.mjs',
    'esm-package/plus.js',
    'cjs-package/plus.js',
    'odd name #1 100% ü/plus ?.mjs',
  ]

  for (const file of FILES) {
    caseTest(`in ${file}, by URL and by path`, async ({ pool }) => {
      const path = join(fileURLToPath(fixtureUrl('loading')), file)
      const one = pool({ module: path })
      expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
      const { pathToFileURL } = await import('node:url')
      expect(await within(SECOND_MS, pool({ module: pathToFileURL(path) }).run('plus', 1))).toBe(2)
    })
  }

  caseTest('under the name default', async ({ pool }) => {
    expect(await pool({ module: loading('default-function.mjs') }).run('default', 1)).toBe(2)
    expect(await pool({ module: loading('function.cjs') }).run('default', 1)).toBe(2)
    expect(await pool({ module: loading('transpiled-named.cjs') }).run('default', 1)).toBe(101)
  })

  caseTest('behind a query and a symbolic link', async ({ pool }) => {
    expect(await pool({ module: new URL(`${loading('plus.mjs').href}?version=2`) }).run('plus', 1)).toBe(2)
    const folder = await mkdtemp(join(tmpdir(), 'evenkeel-'))
    await symlink(fileURLToPath(loading('plus.mjs')), join(folder, 'link.mjs'))
    expect(await pool({ module: join(folder, 'link.mjs') }).run('plus', 1)).toBe(2)
    await rm(folder, { recursive: true })
  })

  caseTest('in a data URL', async ({ pool }) => {
    expect(await pool({ module: 'data:text/javascript,export const plus = (n) => n + 1' }).run('plus', 1)).toBe(2)
  })
})

describe('a name that is no task', () => {
  const NAMES = [
    'minus',
    '',
    'toString',
    'constructor',
    'hasOwnProperty',
    '__proto__',
    'prototype',
    'kinds',
    'setup',
    'teardown',
    'default',
    'module.exports',
    'then',
  ]

  for (const file of ['small-tasks.mjs', 'hooks.mjs', 'loading/plus-object.cjs']) {
    caseTest(`is refused, cold and warm: ${file}`, async ({ pool }) => {
      const one = pool({ module: fixtureUrl(file), workerData: {} })
      for (let round = 0; round < 2; round++) {
        const outcomes = await settledWithin(
          SECOND_MS,
          NAMES.map((name) => one.run(name, 1)),
        )
        for (const [i, outcome] of outcomes.entries()) {
          expect(outcome).toMatchObject({ code: 'EVENKEEL_UNKNOWN_TASK', task: NAMES[i], retryable: false })
        }
      }
    })
  }
})

describe('a module given as text', () => {
  test('that is relative, empty or no text is refused with what is accepted', () => {
    for (const module of ['./w.mjs', '../w.mjs', '.', '..', '', undefined, null, 5, {}]) {
      const make = () => new Dispatcher({ module: module as string, workers: 1 })
      expect(make).toThrow(TypeError)
      expect(make).toThrow(/^module: .*import\.meta\.url/)
    }
  })

  test('that names a package is found from the working directory; one that is not there says so', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'evenkeel-'))
    const installed = join(folder, 'node_modules', 'installed-tasks')
    await mkdir(installed, { recursive: true })
    await writeFile(join(installed, 'package.json'), '{ "name": "installed-tasks", "exports": "./tasks.cjs" }')
    await writeFile(join(installed, 'tasks.cjs'), 'exports.plus = (n) => n + 1')
    const host = (module: string) =>
      runHost(fixtureUrl('flags-host.mjs'), { cwd: folder, args: [JSON.stringify({ module })] })
    expect(JSON.parse((await host('installed-tasks')).stdout)).toMatchObject({ answer: 2, faults: [] })
    const missing = JSON.parse((await host('not-installed')).stdout)
    expect(missing.error).toMatch(/not-installed/)
    expect(missing.faults).toEqual([])
    await rm(folder, { recursive: true })
  })
})

describe('hosts and workers of different kinds', () => {
  const files = ['plus.mjs', 'plus.cjs', 'esm-package/plus.js', 'cjs-package/plus.js', 'transpiled.cjs']

  for (const how of ['require', 'import']) {
    test(`a CommonJS host by ${how} runs all of them`, async () => {
      const { stdout, stderr, exitCode } = await runHost(loading('cjs-host.cjs'), { args: [how, ...files] })
      expect({ answers: JSON.parse(stdout), exitCode }, stderr).toEqual({ answers: files.map(() => 2), exitCode: 0 })
    })
  }

  caseTest('TypeScript without a loader says what is missing', async ({ brokenPool }) => {
    const one = brokenPool({ module: loading('typed.ts') })
    const outcome = (await settledWithin(SECOND_MS, [one.run('plus', 1)]))[0]
    // Node 22.18 and later drop the types themselves.
    if (outcome !== 2) {
      expect(outcome).toMatchObject(LOAD)
      expect((outcome as Error).message).toMatch(/typed\.ts/)
      expect((outcome as Error).message).toMatch(/execArgv/)
    }
  })

  caseTest('TypeScript with a loader runs', async ({ pool }) => {
    const execArgv = ['--import', loading('strip-types.mjs').href]
    expect(await within(SECOND_MS * 2, pool({ module: loading('typed.ts'), execArgv }).run('plus', 1))).toBe(2)
  })
})

describe('a module that makes a pool of itself', () => {
  test('runs, warns once and does not grow', async () => {
    const host = await runHost(loading('own-pool-host.mjs'))
    expect(JSON.parse(host.stdout), host.stderr).toMatchObject({ answer: 2, grown: 0 })
    expect(host.stderr.match(/EvenkeelWarning/g)).toHaveLength(1)
  })

  test('as a preload that every thread inherits does not grow either', async () => {
    const host = await runHost(loading('preload-host.mjs'), {
      execArgv: ['--import', loading('preload-pool.mjs').href],
    })
    const report = JSON.parse(host.stdout)
    expect(report, host.stderr).toMatchObject({ answer: 2, threadId: 0 })
    expect(report.grown).toBeLessThanOrEqual(0)
    expect(report.highest).toBeLessThanOrEqual(2)
  })
})
