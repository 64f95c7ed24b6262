import { afterAll, beforeAll, expect, test } from 'vitest'
import { CliFolder } from './cli-process.js'

let folder: CliFolder
beforeAll(() => {
  folder = new CliFolder()
})
afterAll(() => folder.remove())

test('help goes to standard output with 0, usage errors to standard error with 2', async () => {
  const help = await folder.run(['--help'])
  expect([help.code, help.stderr]).toEqual([0, ''])
  expect(help.stdout).toContain('range-table')
  const wrong = await folder.run(['map'])
  expect([wrong.code, wrong.stdout]).toEqual([2, ''])
  expect(wrong.stderr).toContain('missing required argument')
})

test('errors are one line without a stack', async () => {
  const { code, stderr } = await folder.map('echo', ['--in', 'gone'])
  expect(code).toBe(4)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})

test('bench is passed on', async () => {
  const { code, stdout } = await folder.run(['bench', '--help'])
  expect(code).toBe(0)
  expect(stdout).toContain('throughput')
})

test('a reader that goes away early is no error', async () => {
  for (const stream of ['stdout', 'stderr'] as const) {
    const args = stream === 'stdout' ? ['--help'] : ['map', './tasks.mjs#echo', '--in', 'gone']
    const { code, stderr } = await folder.run(args, { during: (child) => child[stream]?.destroy() })
    expect([code, stderr]).toEqual([stream === 'stdout' ? 141 : 4, ''])
  }
})

test('bench names a command that it does not have, and what an own workload lacks', async () => {
  const unknown = await folder.run(['bench', 'thruput'])
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    "error: unknown command 'thruput'; evenkeel bench --help lists them\n",
  ])
  const half = await folder.run(['bench', '--module', './tasks.mjs#echo'])
  expect([half.code, half.stderr]).toEqual([2, 'error: an own workload takes both --module and --in\n'])
})
