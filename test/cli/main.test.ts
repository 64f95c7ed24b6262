import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLI, CliFolder, numberedLines } from './cli-process.js'

let folder: CliFolder
beforeAll(() => {
  folder = new CliFolder()
})
afterAll(() => folder.remove())

test('loads only what listens to SIGUSR2 before it listens', () => {
  const imports = [...readFileSync(CLI, 'utf8').matchAll(/^import .* from '(.*)'/gm)].map(([, path]) => path)
  expect(imports).toEqual(['./run-signals.js'])
  expect(readFileSync(new URL('run-signals.js', `file://${CLI}`), 'utf8')).not.toMatch(/^import/m)
})

test('SIGUSR2 does not end a dry run', async () => {
  const { code, signal, stderr } = await folder.run(['map', './tasks.mjs#echo', '--dry-run', '--in', '-'], {
    during: (child) => {
      // More than a pipe holds: when all of it is gone, the dry run is reading.
      child.stdin?.write(numberedLines(100_000), () => {
        child.kill('SIGUSR2')
        child.stdin?.end()
      })
    },
  })
  expect([code, signal, stderr]).toEqual([0, null, expect.stringContaining('100,000 records')])
})
