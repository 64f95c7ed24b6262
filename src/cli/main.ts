#!/usr/bin/env node
/** What the command starts with. It is loaded and runs before everything else, which takes some 50 ms of loading. */

import { ReportSignals } from './run-signals.js'

// A report asked for now, or of a run that has none, must not end the process.
const reports = new ReportSignals(process, () => undefined)

const { runCommand } = await import('./command.js')
await runCommand(process.argv.slice(2), reports)
