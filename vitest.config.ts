import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { readSources } from './test/support/source/tree.js'
import { isUnit, needsOwnProcess } from './test/support/test-kinds.js'

const root = fileURLToPath(new URL('.', import.meta.url))

/**
 * What each mode runs. Without a mode: whatever needs Node and nothing else. Of that, `unit` are the files that start
 * no thread and no process. `browser` needs Chromium, `full` time, `package` a package registry.
 */
const include: Record<string, string[]> = {
  browser: ['test/**/*.browser.test.ts'],
  full: ['test/**/*.full.test.ts'],
  package: ['test/**/*.package.test.ts'],
}

const texts = readSources('test', 'bench')
const fast = [...texts.keys()].filter((path) => /^(?:(?!\.(?:browser|full|package)\.).)*\.test\.ts$/.test(path))
const [alone, shared] = [true, false].map((isAlone) =>
  fast.filter((path) => needsOwnProcess(texts.get(path)!) === isAlone),
)

/** Files that share a process share the modules that it has loaded. */
const projects = [
  { extends: true as const, test: { name: 'shared', include: shared!, isolate: false } },
  { extends: true as const, test: { name: 'alone', include: alone!, isolate: true } },
]

export default defineConfig(({ mode }) => ({
  resolve: {
    // Tests run the sources on the main thread, and threads run what was built: only built files can be a thread's entry.
    // Units start no thread, and need no build.
    alias:
      mode === 'unit'
        ? []
        : [{ find: /^\.{1,2}\/(?:.*\/)?worker-urls\.js$/, replacement: `${root}dist/src/base/worker-urls.js` }],
  },
  test: {
    ...(mode in include ? { include: include[mode]! } : {}),
    ...(mode === 'unit' ? { include: shared!.filter((path) => isUnit(path, texts)), isolate: false } : {}),
    ...(mode in include || mode === 'unit' ? {} : { projects }),
    globalSetup: mode === 'package' ? ['test/package/packed.ts'] : [],
    // Tests start threads and child processes, and must not share the process that counts them.
    pool: 'forks',
    // Each of them keeps several threads busy, and waits for a good part of its time.
    maxWorkers: mode in include ? 1 : 2,
    // For what hangs; a test that needs this long on a quiet machine does not belong here.
    testTimeout: mode === 'full' || mode === 'package' ? 300_000 : 90_000,
    hookTimeout: 120_000,
    passWithNoTests: false,
    coverage: {
      provider: 'custom',
      customProviderModule: 'test/support/coverage/provider.ts',
      include: ['src/**/*.ts', 'workers/**/*.ts'],
      reportsDirectory: 'coverage',
      // By file and line, for looking up what is missing; the figure itself is printed.
      reporter: ['json', 'lcovonly', ['text', { file: 'lines.txt' }]],
      thresholds: { lines: 90 },
    },
  },
}))
