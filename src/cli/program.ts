/** The commands and their help. */

import { Command } from 'commander'
import { type MapArguments, mapProgram } from './map-arguments.js'
import { strategyHelp } from './strategy-argument.js'

export interface CommandActions {
  map(module: string, options: MapArguments): Promise<void>
  bench(args: readonly string[]): Promise<void>
}

const EXIT_CODES = `Exit codes of map:
  0 all records done    1 some failed        2 wrong usage or module   3 halted by a rule
  4 input or journal    5 output not written   130/143 stopped by SIGINT/SIGTERM, can be resumed
  141 the reader of the output is gone`

const EXAMPLES = `Examples:
  evenkeel map ./tasks.js#resize --in photos.jsonl --out sizes.jsonl --errors failed.jsonl
  ls *.js | evenkeel map builtin:fingerprint --format lines -j 4 > prints.jsonl`

const UNITS = `Durations <d>: 250ms, 10s, 2m, 1h, 1d; a bare number counts seconds.
Sizes <size>: 512K, 16MiB, 1G, all in powers of 1024; a bare number counts bytes.`

export function buildProgram(actions: CommandActions, version: string, columns: number): Command {
  const program = new Command('evenkeel')
    .description('feed tasks to a pool of worker threads; a worker that stalls holds nothing up')
    .version(version)
    .enablePositionalOptions()
    .showHelpAfterError('(evenkeel --help lists the commands)')
    .addHelpText('after', () => `\n${strategyHelp(columns)}`)
  const map = mapProgram()
    .addHelpText('after', () => `\n${EXAMPLES}\n\n${UNITS}\n\n${EXIT_CODES}\n\n${strategyHelp(columns)}`)
    // A message of our own: the usual cause is an input without --in, or a pattern that the shell has expanded.
    .allowExcessArguments()
    .action((module: string, options: MapArguments, { args }: Command) => {
      if (args.length === 1) return actions.map(module, options)
      const message = `error: too many arguments: ${args[1]}; name each input by --in, and quote patterns`
      return map.error(message, { code: 'commander.excessArguments' })
    })
  program.addCommand(map)
  program
    .command('bench')
    .description('compare strategies and other pools; evenkeel bench --help lists the scenarios')
    .argument('[args...]')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action((args: string[]) => actions.bench(args))
  return program
}
