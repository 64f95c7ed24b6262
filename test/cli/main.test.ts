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
