/** Entry of `npm run bench` and of `evenkeel bench`. */

import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CommanderError, InvalidArgumentError } from 'commander'
import { benchProgram } from './commands/program.js'
import { SampleFileError } from './own/samples.js'
import { ReportFormatError } from './report/compare.js'

/**
 * Runs one bench command; `argv` holds its name and options only. Resolves with the exit code: 0 when it ran, 1 when a
 * comparison found a regression, 2 for wrong arguments or files that cannot be used. Waits for the measurements.
 */
export async function runBench(argv: readonly string[]): Promise<number> {
  let exitCode = 0
  const bench = benchProgram((code) => {
    exitCode = code
  })
  for (const command of [bench, ...bench.commands]) command.exitOverride()
  try {
    await bench.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    // What the parser refuses it has already told; what an action refuses is told here.
    const refused = [SampleFileError, ReportFormatError, InvalidArgumentError].some((type) => error instanceof type)
    if (refused) process.stderr.write(`error: ${(error as Error).message}\n`)
    else if (!(error instanceof CommanderError)) throw error
    return error instanceof CommanderError && error.exitCode === 0 ? 0 : 2
  }
}

function isMainModule(): boolean {
  const started = process.argv[1]
  return started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)
}

if (isMainModule()) {
  // No `await` out here: the published file is CommonJS.
  void runBench(process.argv.slice(2)).then((exitCode) => {
    process.exitCode = exitCode
  })
}
