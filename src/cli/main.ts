#!/usr/bin/env node
/** The entry of the command. It runs before everything else is loaded, which takes about 50 ms. */

import { ReportSignals } from './run-signals.js'

// A signal that asks for a report must not end the process, even when there is nothing to report yet.
const reports = new ReportSignals(process, () => undefined)

// No `await` out here: the published file is CommonJS.
void import('./command.js').then(({ runCommand }) => runCommand(process.argv.slice(2), reports))
