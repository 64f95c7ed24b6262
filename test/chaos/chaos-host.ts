/** A chaos run as a process of its own: settings as JSON in the first argument, the report as JSON on stdout. */

import { type ChaosSettings, chaosRun } from './chaos-run.js'

process.stdout.write('started\n')
const report = await chaosRun(JSON.parse(process.argv[2]!) as ChaosSettings)
process.stdout.write(`${JSON.stringify(report)}\n`)
