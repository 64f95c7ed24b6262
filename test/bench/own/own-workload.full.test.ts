import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { OwnReport } from '../../../bench/own/main.js'

const command = fileURLToPath(new URL('../../../dist/src/cli/main.js', import.meta.url))

/** Runs `evenkeel bench` on the user's own task, in their folder. */
function bench(
  task: string,
  ...more: string[]
): { status: number | null; stdout: string; stderr: string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-own-'))
  writeFileSync(join(folder, 'tasks.mjs'), `export const work = ${task}\n`)
  writeFileSync(join(folder, 'samples.jsonl'), '{"n":1}\n\n{"n":2}\n{"n":3}')
  const args = [command, 'bench', '--module', './tasks.mjs#work', '--in', 'samples.jsonl', '--workers', '1']
  const run = spawnSync(process.execPath, [...args, '--quick', '--accept-noise', ...more], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 90_000,
  })
  return { ...run, folder }
}

describe('an own workload', () => {
  test('is measured under several settings in both loops, and one is recommended', { timeout: 100_000 }, () => {
    const { status, stdout, stderr, folder } = bench(
      '({ n }) => { for (let i = 0; i < 1e5 * n; i++); return n }',
      '--json',
      '--out',
      'out',
    )
    expect(status, stderr).toBe(0)
    const report = JSON.parse(stdout) as OwnReport
    expect(report.results.map(({ name }) => name)).toEqual(['closed loop', 'open loop'])
    const [closed, open] = report.results
    const labels = closed!.systems.map(({ label }) => label)
    expect(labels[0]).toBe('evenkeel')
    expect(labels).toContain(report.recommendation.system)
    for (const { measures } of closed!.systems) expect(measures.tasksPerSecond!.median).toBeGreaterThan(0)
    for (const { measures } of open!.systems) expect(measures.failedShare!.median).toBe(0)
    expect(report.answer).toContain(`Recommended: ${report.recommendation.system}`)
    expect(readFileSync(join(folder, 'out', 'report.md'), 'utf8')).toContain(report.answer)
  })

  test('that always fails ends with code 2 and what it threw', { timeout: 100_000 }, () => {
    const { status, stdout, stderr } = bench('() => { throw new Error("no such table") }')
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain('no such table')
  })

  test('of a module or task that is not there is refused before anything is measured', { timeout: 100_000 }, () => {
    for (const [module, said] of [
      ['./gone.mjs#work', 'gone.mjs'],
      ['./tasks.mjs#wrok', 'wrok'],
      ['./tasks.mjs', '"default"'],
    ] as const) {
      const { status, stderr } = bench('() => 1', '--module', module)
      expect([status, stderr.trim().split('\n').length], stderr).toEqual([2, 1])
      expect(stderr).toContain(said)
    }
  })
})
