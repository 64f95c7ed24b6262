import { describe, expect, test } from 'vitest'
import { isUnit, needsOwnProcess } from '../support/test-kinds.js'

describe('a test file', () => {
  test('has a process of its own when it replaces a module', () => {
    expect(needsOwnProcess("vi.mock('node:os')")).toBe(true)
    expect(needsOwnProcess("vi.spyOn(console, 'log')")).toBe(false)
  })

  test('is a unit unless it starts threads or processes or needs a build, by itself or through the support of tests', () => {
    const texts = new Map([
      [
        'test/a/pure.test.ts',
        "import { add } from '../../src/a/add.js'\nimport type { Dispatcher } from '../../src/index.js'",
      ],
      ['test/a/thread.test.ts', 'new Worker(url)'],
      ['test/a/child.test.ts', "import { spawn } from 'node:child_process'"],
      ['test/a/pool.test.ts', "import { type Options, Dispatcher } from '../../src/index.js'"],
      ['test/a/several-lines.test.ts', "import {\n  Dispatcher,\n} from '../../src/index.js'"],
      ['test/a/built.test.ts', "import(new URL('../../dist/src/a/add.js', import.meta.url).href)"],
      ['test/a/host.test.ts', "import { runHost } from '../support/host.js'"],
      ['test/support/host.ts', "import { caller } from './caller.js'"],
      ['test/support/caller.ts', "import { fork } from 'node:child_process'"],
      ['test/bench/sim/faults.test.ts', ''],
    ])
    expect([...texts.keys()].filter((path) => path.endsWith('.test.ts') && isUnit(path, texts))).toEqual([
      'test/a/pure.test.ts',
    ])
  })
})
