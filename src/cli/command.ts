/** Runs the command: reads the arguments, does what they ask, sets the exit code. */

import { CommanderError } from 'commander'
import { VERSION } from '../base/version.js'
import { runDry } from './dry-run-command.js'
import { EXIT, exitCodeOfError } from './exit-codes.js'
import { endingText } from './failure-text.js'
import { runMap } from './map-command.js'
import { messageInFlags } from './map-settings.js'
import { buildProgram } from './program.js'
import type { ReportSignals } from './run-signals.js'

/** Resolves when the command is done. The process ends by itself once all output is written. Never rejects. */
export async function runCommand(argv: readonly string[], reports: ReportSignals): Promise<void> {
  // The reader of a stream may stop, as `head` does. That is no failure. The output of a run does not pass through
  // here.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      if (stream === process.stdout) process.exitCode = EXIT.brokenPipe
    })
  }

  const program = buildProgram(
    {
      map: async (module, options) => {
        process.exitCode = options.dryRun ? await runDry(module, options) : await runMap(module, options, argv, reports)
      },
      bench: async (args) => {
        const { runBench } = await import('../../bench/main.js')
        process.exitCode = await runBench(args)
      },
    },
    VERSION,
    process.stdout.columns || 100,
  )

  for (const command of [program, ...program.commands]) command.exitOverride()
  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage
    else {
      process.exitCode = exitCodeOfError(error)
      // A known error has a code and a helpful message. Any other is a bug of evenkeel and needs its stack.
      const known = typeof (error as { code?: unknown }).code === 'string'
      process.stderr.write(
        known ? `${endingText(messageInFlags(error as Error), error)}\n` : `${(error as Error).stack}\n`,
      )
    }
  }
}
