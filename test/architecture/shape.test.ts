import { describe, expect, test } from 'vitest'
import { readSources, readTree } from '../support/source/tree.js'
import {
  clockFaults,
  constructFaults,
  lengthFaults,
  lineCount,
  MAX_LINES,
  namingFaults,
  unitFaults,
} from './shape-rules.js'

const shipped = readSources('src', 'workers')
const sources = readSources('src', 'workers', 'bench')
const all = readTree(/^(?:src|workers|bench|test)\/(?!fixtures\/).*\.[cm]?[jt]s$/)

/** The files that may ask the system, and the built-in tasks, which are user code by nature. */
const ASKS_THE_SYSTEM = /^(?:src\/base\/(?:clock|random|timers)\.ts$|workers\/tasks\/)/

function faults(tree: ReadonlyMap<string, string>, rule: (path: string, text: string) => string[]): string[] {
  return [...tree].flatMap(([path, text]) => rule(path, text))
}

describe('file names', () => {
  test('every name is kebab-case and says what the file holds', () => {
    expect([...all.keys()].flatMap(namingFaults)).toEqual([])
  })

  test.each([
    'src/base/RangeTable.ts',
    'src/base/range_table.ts',
    'src/base/utils.ts',
    'src/lane-manager.ts',
    'src/common/a.ts',
  ])('%s is refused', (path) => expect(namingFaults(path)).toHaveLength(1))

  test.each(['src/base/clock.ts', 'workers/entry.cts', 'test/a/kills.full.test.ts', 'src/batch/p2-quantile.ts'])(
    '%s is accepted',
    (path) => expect(namingFaults(path)).toEqual([]),
  )
})

describe('file lengths', () => {
  test('no file is longer than the limit', () => {
    expect(faults(sources, lengthFaults)).toEqual([])
  })

  test('the median file of src and workers has about 100 lines', () => {
    const lengths = [...shipped.values()].map(lineCount).sort((a, b) => a - b)
    expect(lengths[lengths.length >> 1]).toBeLessThanOrEqual(120)
  })

  test('the limit counts lines, not line ends', () => {
    expect(lengthFaults('a.ts', 'x\n'.repeat(MAX_LINES))).toEqual([])
    expect(lengthFaults('a.ts', `${'x\n'.repeat(MAX_LINES)}x`)).toHaveLength(1)
  })
})

describe('constructs', () => {
  test('no enum, default export, private modifier or other word for task', () => {
    // In a module of tasks, `default` names a task like any other export.
    const governed = new Map([...sources].filter(([path]) => !path.startsWith('workers/tasks/')))
    expect(faults(governed, constructFaults)).toEqual([])
  })

  test.each([
    'enum Colour { red }',
    'export default function a() {}',
    'export default 1',
    'const a = 1; export { a as default }',
    'class A { private b = 1 }',
    'class A { constructor(private readonly b: number) {} }',
    'const jobCount = 1',
    'class JobQueue {}',
    'const pendingJobs = 1',
  ])('%s is seen', (text) => {
    expect(constructFaults('a.ts', text)).toHaveLength(1)
  })

  test('words that only look alike pass', () => {
    expect(
      constructFaults(
        'a.ts',
        '// a job\nconst jobless = 1; class A { #b = 1; readonly c = 2; private constructor() {} }',
      ),
    ).toEqual([])
  })
})

describe('time and chance', () => {
  test('src and workers take them from the clock and the random source', () => {
    const governed = new Map([...shipped].filter(([path]) => !ASKS_THE_SYSTEM.test(path)))
    expect(faults(governed, clockFaults)).toEqual([])
  })

  test.each([
    'Date.now()',
    'const now = performance.now',
    'Math.random()',
    'setTimeout(() => {}, 1)',
    'globalThis.setInterval(() => {}, 1)',
    'process.hrtime.bigint()',
    'new Date()',
    "import 'node:timers/promises'",
  ])('%s is seen', (text) => {
    expect(clockFaults('a.ts', text)).toHaveLength(1)
  })

  test('dates that are given, other members and comments pass', () => {
    const text =
      '// setTimeout\nnew Date(5); Math.max(1, 2); performance.eventLoopUtilization(); setImmediate(() => {})'
    expect(clockFaults('a.ts', text)).toEqual([])
  })
})

describe('units', () => {
  test('no number that measures time goes without its unit', () => {
    expect(faults(shipped, unitFaults)).toEqual([])
  })

  test.each(['interface A { timeout: number }', 'function a(retryDelay: number) {}', 'class A { age: number = 1 }'])(
    '%s is seen',
    (text) => expect(unitFaults('a.ts', text)).toHaveLength(1),
  )

  test('named units and other words pass', () => {
    expect(unitFaults('a.ts', 'interface A { timeoutMs: number; usage: number; delay: () => void }')).toEqual([])
  })
})
