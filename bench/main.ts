/** Entry of `npm run bench` and of `evenkeel bench`. */

import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { benchCommands } from './commands/catalogue.js'
import type { BenchCommand } from './commands/command.js'
import { measureScenarios } from './harness/measure.js'
import { progressOn } from './harness/progress.js'
import { reportText } from './report/text-table.js'

interface LiveOptions {
  quick?: boolean
  json?: boolean
  acceptNoise?: boolean
  seed: number
}

function seedFrom(text: string): number {
  const seed = Number(text)
  if (!Number.isSafeInteger(seed) || seed < 0) throw new InvalidArgumentError('a whole number from 0 up is needed')
  return seed
}

async function runLive(command: BenchCommand, options: LiveOptions): Promise<void> {
  const quick = options.quick === true
  const report = await measureScenarios(command.scenarios(quick), {
    command: command.name,
    quick,
    seed: options.seed,
    acceptNoise: options.acceptNoise === true,
    progress: progressOn(process.stderr),
    goals: (results) => command.goals(results),
  })
  process.stdout.write(options.json === true ? `${JSON.stringify(report)}\n` : `${reportText(report)}\n`)
}

function program(): Command {
  const bench = new Command('bench').description('Compare evenkeel with other pools, live and simulated.')
  for (const command of benchCommands) {
    bench
      .command(command.name)
      .description(command.summary)
      .option('--quick', 'fewer and shorter measurements')
      .option('--json', 'print one JSON object on stdout')
      .option('--accept-noise', 'keep measurements that the noise rules reject: a look, not a finding')
      .option('--seed <number>', 'seed of order and arrivals', seedFrom, 1)
      .action((options: LiveOptions) => runLive(command, options))
  }
  return bench
}

/**
 * Runs one bench command; `argv` holds its name and options only. Resolves with the exit code: 0 when it ran, 1 when
 * a comparison found a regression, 2 for wrong arguments.
 */
export async function runBench(argv: readonly string[]): Promise<number> {
  try {
    const bench = program()
    for (const command of [bench, ...bench.commands]) command.exitOverride()
    await bench.parseAsync([...argv], { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    throw error
  }
}

function isMainModule(): boolean {
  const started = process.argv[1]
  return started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)
}

if (isMainModule()) process.exitCode = await runBench(process.argv.slice(2))
