import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('.', import.meta.url))

/**
 * What each mode runs. Without a mode: whatever needs Node and nothing else. `browser` needs Chromium, `full` time and
 * other versions of Node, `package` a package registry.
 */
const include: Record<string, string[]> = {
  browser: ['test/**/*.browser.test.ts'],
  full: ['test/**/*.full.test.ts'],
  package: ['test/**/*.package.test.ts'],
}
const fast = ['test/**/*.test.ts']

export default defineConfig(({ mode }) => ({
  resolve: {
    // Tests run the sources on the main thread, and threads run what was built: only built files can be a thread's entry.
    alias: [{ find: /^\.{1,2}\/(?:.*\/)?worker-urls\.js$/, replacement: `${root}dist/src/base/worker-urls.js` }],
  },
  test: {
    include: include[mode] ?? fast,
    exclude: mode in include ? [] : [...Object.values(include).flat(), '**/node_modules/**'],
    // These two install the package.
    globalSetup: mode === 'package' || mode === 'full' ? ['test/package/packed.ts'] : [],
    // Tests start threads and child processes; each file gets a process of its own.
    pool: 'forks',
    // Each of them keeps several threads busy; more at once would test the machine's scheduler.
    maxWorkers: mode === 'full' ? 1 : '50%',
    testTimeout: mode === 'full' ? 300_000 : 30_000,
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
