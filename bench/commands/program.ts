/** The command line of the bench. Each action resolves with an exit code. */

import { readFileSync } from 'node:fs'
import { Command, InvalidArgumentError } from 'commander'
import { measureScenarios } from '../harness/measure.js'
import { progressOn } from '../harness/progress.js'
import { compareReports, parseReport, ReportFormatError } from '../report/compare.js'
import { changeTable, reportText } from '../report/text-table.js'
import { writeReport } from '../report/write-report.js'
import { benchCommands } from './catalogue.js'
import type { BenchCommand } from './command.js'

interface CommonOptions {
  quick?: boolean
  json?: boolean
  seed: number
}

interface LiveOptions extends CommonOptions {
  acceptNoise?: boolean
  out?: string
  only?: string
}

interface OwnLineOptions extends LiveOptions {
  module?: string
  in?: string
  workers?: number
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('a whole number from 0 up is needed')
  return value
}

function share(text: string): number {
  const value = Number(text)
  if (!(value > 0 && value < 1)) throw new InvalidArgumentError('a share between 0 and 1 is needed, such as 0.1')
  return value
}

/** One JSON object alone on stdout, or the text. */
function print(json: boolean | undefined, value: unknown, text: () => string): void {
  process.stdout.write(json === true ? `${JSON.stringify(value)}\n` : `${text()}\n`)
}

const withCommon = (command: Command): Command =>
  command
    .option('--quick', 'fewer and shorter measurements')
    .option('--json', 'print one JSON object on stdout')
    .option('--seed <number>', 'seed of order and arrivals', wholeNumber, 1)

const withLive = (command: Command): Command =>
  withCommon(command)
    .option('--accept-noise', 'keep measurements that the noise rules reject: a look, not a finding')
    .option('--only <text>', 'only the scenarios whose name contains this')
    .option('--out <folder>', 'write report.html, report.md and results.json there')

async function runLive(command: BenchCommand, options: LiveOptions): Promise<number> {
  const quick = options.quick === true
  const { only = '' } = options
  const scenarios = command.scenarios(quick).filter((scenario) => scenario.name.includes(only))
  if (scenarios.length === 0) throw new InvalidArgumentError(`no scenario of ${command.name} has '${only}' in its name`)
  const report = await measureScenarios(scenarios, {
    command: command.name,
    quick,
    seed: options.seed,
    acceptNoise: options.acceptNoise === true,
    progress: progressOn(process.stderr),
    goals: (results) => command.goals(results),
  })
  if (options.out !== undefined) for (const file of writeReport(report, options.out)) process.stderr.write(`${file}\n`)
  print(options.json, report, () => reportText(report))
  return 0
}

async function runOwn(options: OwnLineOptions): Promise<number> {
  const { runOwnWorkload } = await import('../own/main.js')
  const report = await runOwnWorkload({
    module: options.module as string,
    samplesFile: options.in as string,
    ...(options.workers === undefined ? {} : { workers: options.workers }),
    quick: options.quick === true,
    seed: options.seed,
    acceptNoise: options.acceptNoise === true,
    progress: progressOn(process.stderr),
  })
  if (options.out !== undefined) for (const file of writeReport(report, options.out)) process.stderr.write(`${file}\n`)
  print(options.json, report, () => `${reportText(report)}\n\n${report.answer}`)
  return 0
}

function compare(files: readonly [string, string], options: { threshold: number; json?: boolean }): number {
  const [before, after] = files.map((file) => {
    try {
      return parseReport(readFileSync(file, 'utf8'), file)
    } catch (error) {
      if (error instanceof ReportFormatError) throw error
      throw new ReportFormatError((error as Error).message)
    }
  }) as [ReturnType<typeof parseReport>, ReturnType<typeof parseReport>]
  const results = compareReports(before, after, options.threshold)
  const regressions = results.filter((change) => change.verdict === 'regression').length
  const { threshold } = options
  const summary = {
    command: 'compare',
    environment: after.environment,
    before: before.environment,
    threshold,
    results,
    regressions,
  }
  print(options.json, summary, () => changeTable(results, threshold))
  return regressions === 0 ? 0 : 1
}

/** Builds the program; `exit` is told the code that the chosen action ended with. */
export function benchProgram(exit: (code: number) => void): Command {
  const bench = new Command('evenkeel bench')
    // An option after the command's name is that command's own.
    .enablePositionalOptions()
    .description('Compare evenkeel with other pools, live and simulated.')
  withLive(bench)
    .option('--module <path>', 'your own task module, with #task for a named export')
    .option('--in <file>', 'samples for it, one JSON value a line')
    .option('--workers <number>', 'threads (default: as many as the processors)', wholeNumber)
    .action(async (options: OwnLineOptions) => {
      const [unknown] = bench.args
      if (unknown !== undefined) bench.error(`error: unknown command '${unknown}'; evenkeel bench --help lists them`)
      if ((options.module === undefined) !== (options.in === undefined)) {
        bench.error('error: an own workload takes both --module and --in')
      }
      if (options.module === undefined || options.in === undefined) bench.help({ error: true })
      exit(await runOwn(options))
    })
  for (const command of benchCommands) {
    withLive(bench.command(command.name).description(command.summary)).action(async (_, chosen: Command) => {
      exit(await runLive(command, chosen.opts<LiveOptions>()))
    })
  }
  withCommon(bench.command('sim').description('the simulator: regret of every system over nine scenarios')).action(
    async (_, chosen: Command) => {
      const { runSim, simText } = await import('../sim/main.js')
      const { quick = false, json, seed } = chosen.opts<CommonOptions>()
      const report = await runSim({ quick, seed, progress: progressOn(process.stderr) })
      print(json, report, () => simText(report))
    },
  )
  withCommon(bench.command('micro').description('pieces of the mechanism one by one: pick, queue, claims')).action(
    async (_, chosen: Command) => {
      const { runMicro, microText } = await import('../micro/main.js')
      const { quick = false, json } = chosen.opts<CommonOptions>()
      const report = await runMicro({ quick, progress: progressOn(process.stderr) })
      print(json, report, () => microText(report))
    },
  )
  bench
    .command('compare <before> <after>')
    .description('two reports of the same command; exit code 1 when something became worse')
    .option('--threshold <share>', 'changes up to this share are none', share, 0.1)
    .option('--json', 'print one JSON object on stdout')
    .action((before: string, after: string, _, chosen: Command) => {
      exit(compare([before, after], chosen.opts<{ threshold: number; json?: boolean }>()))
    })
  // Its action takes what is no command's name, to call it by that.
  return bench.allowExcessArguments()
}
