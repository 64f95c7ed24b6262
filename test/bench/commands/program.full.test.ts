import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { benchCommands } from '../../../bench/commands/catalogue.js'
import { madeUpReport, madeUpScenario, madeUpSystem } from '../report/made-up-report.js'

const entry = fileURLToPath(new URL('../../../dist/bench/main.js', import.meta.url))

function bench(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [entry, ...args], { encoding: 'utf8', timeout: 60_000 })
}

function reportFile(p99Ms: number): string {
  const file = join(mkdtempSync(join(tmpdir(), 'bench-')), 'results.json')
  const system = madeUpSystem('evenkeel', { p99Ms: [p99Ms, p99Ms, p99Ms] })
  writeFileSync(file, JSON.stringify(madeUpReport([madeUpScenario('one', [system])])))
  return file
}

describe('bench command line', () => {
  test('help names every command', () => {
    const { status, stdout } = bench('--help')
    expect(status).toBe(0)
    for (const name of [...benchCommands.map((command) => command.name), 'sim', 'micro', 'compare']) {
      expect(stdout).toContain(name)
    }
  })

  test('prints exactly one JSON object on stdout, with what it measured and where', () => {
    const { status, stdout } = bench('cold', '--quick', '--json', '--accept-noise', '--only', 'of 1', '--seed', '7')
    expect(status).toBe(0)
    const report = JSON.parse(stdout) as ReturnType<typeof madeUpReport>
    expect(stdout.trim().split('\n')).toHaveLength(1)
    expect(report).toMatchObject({ command: 'cold', quick: true, seed: 7, schema: 'evenkeel-bench/1' })
    expect(report.environment.node).toBe(process.version)
    expect(report.results.map(({ name }) => name)).toEqual(['cold start of 1'])
    expect(report.results[0]!.systems.map(({ label }) => label)).toContain('evenkeel')
    expect(report.goals.length).toBeGreaterThan(0)
  })

  test.each([
    ['an unknown command', ['no-such-command']],
    ['an unknown option', ['cold', '--no-such-option']],
    ['a seed that is no number', ['cold', '--seed', 'x']],
    ['no scenario of that name', ['cold', '--only', 'nothing is called so']],
    ['no command at all', []],
    ['a report that is not there', ['compare', 'no-file.json', 'no-file.json']],
    ['a threshold that is no share', ['compare', 'a', 'b', '--threshold', '7']],
    ['samples that are not there', ['--module', './tasks.js', '--in', 'no-file.jsonl']],
  ])('%s ends with code 2 and says why on stderr', (_, args) => {
    const { status, stdout, stderr } = bench(...args)
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).not.toBe('')
    expect(stderr).not.toContain('    at ')
  })

  test('comparison ends with 1 when something became worse, else with 0', () => {
    const [good, bad] = [reportFile(10), reportFile(20)]
    expect(bench('compare', good, bad).status).toBe(1)
    expect(bench('compare', bad, good).status).toBe(0)
    expect(bench('compare', good, bad, '--threshold', '0.99').status).toBe(1)
    const { stdout } = bench('compare', good, bad, '--json')
    expect(JSON.parse(stdout)).toMatchObject({ command: 'compare', regressions: 1, threshold: 0.1 })
  })
})
