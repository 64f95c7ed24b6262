/** `evenkeel map`: opens the pool, runs the batch, shows progress, prints the summary. */

import { systemClock } from '../base/clock.js'
import type { BatchRun } from '../batch/batch-run.js'
import { mapFile } from '../batch/map-file.js'
import { BatchUsageError } from '../batch/options/batch-errors.js'
import type { BatchSummary } from '../batch/options/batch-progress.js'
import { RecordPool } from '../batch/record-pool.js'
import type { Dashboard } from '../dashboard/index.js'
import type { Dispatcher, StartPhase } from '../index.js'
import { exitCodeOfRun } from './exit-codes.js'
import { failureText } from './failure-text.js'
import type { MapArguments } from './map-arguments.js'
import { poolSettings, runSettings } from './map-settings.js'
import { resolveModule } from './module-reference.js'
import { barStyle, chooseMode, type ProgressView, showProgress } from './progress.js'
import { runReport, runReportJson } from './run-report.js'
import { type ReportSignals, RunSignals } from './run-signals.js'
import { resumeCommandLine, summaryLine } from './summary-line.js'

/** The most failed records that are shown one by one when there is no errors file. */
const SHOWN_FAILURES = 10

/** The most records that a report names. */
const REPORTED_RECORDS = 10

/** Runs the batch and resolves with the exit code. Errors of the whole run are thrown. */
export async function runMap(
  reference: string,
  given: MapArguments,
  argv: readonly string[],
  reports: ReportSignals,
): Promise<number> {
  reports.use(() => process.stderr.write('the run has not begun yet\n'))
  const module = resolveModule(reference)
  const settings = runSettings(given, module)
  const pool = new RecordPool(poolSettings(given, module))
  let page: Dashboard | undefined
  let run: BatchRun
  try {
    page = await pageOf(pool, given)
    run = await mapFile(pool, settings)
  } catch (error) {
    await page?.close()
    await pool.close({ force: true })
    throw error
  }
  const view = showProgress({
    mode: chooseMode(given.progress, process.stderr, given.out === '-' && process.stdout.isTTY, process.env),
    source: run,
    target: process.stderr,
    clock: systemClock,
    style: barStyle(process.env),
  })
  const signals = listenToSignals(run, view, given)
  reports.use(() => reportOn(run, pool, view, given))
  if (page !== undefined) tellOfPage(page, view, given)
  tellOf(run, view, given)
  // An error outside all tasks fails no record, but must be shown.
  pool.dispatcher.on('error', (error) => view.print(`warning: a worker failed outside of a task: ${error}`))
  pool.dispatcher.on('slowStart', ({ waitsFor, startingMs }) => {
    view.print(`warning: a worker has been starting for ${Math.round(startingMs / 1000)} s: ${WAITS_FOR[waitsFor]}`)
  })
  const summary = await run.done
  signals.release()
  await page?.close()
  await pool.dispatcher.close({ force: summary.stopped !== undefined, timeoutMs: 10_000 })
  view.end()
  report(summary, run.journalPath, view, given, argv)
  return exitCodeOfRun(summary, signals.first, given.exitZero === true)
}

/** What a worker that starts slowly is busy with, in words. */
const WAITS_FOR: Readonly<Record<StartPhase, string>> = {
  thread: 'its thread has not booted',
  module: 'the module is being imported',
  setup: 'the `setup` of the module has not returned',
  broadcast: 'a broadcast is being run',
}

async function pageOf({ dispatcher }: RecordPool, { dashboard }: MapArguments): Promise<Dashboard | undefined> {
  if (dashboard === undefined) return undefined
  return openLivePage(dispatcher, dashboard === true ? 0 : dashboard, 'evenkeel map')
}

function tellOfPage({ url }: Dashboard, view: ProgressView, { progress }: MapArguments): void {
  if (progress === 'json') view.printLine(JSON.stringify({ type: 'dashboard', url }))
  else view.print(`dashboard: ${url}`)
}

function reportOn(run: BatchRun, { dispatcher }: RecordPool, view: ProgressView, { progress }: MapArguments): void {
  const state = { progress: run.progress(), pool: dispatcher.snapshot(), slowest: run.slowest(REPORTED_RECORDS) }
  if (progress === 'json') view.printLine(runReportJson(state))
  else view.print(runReport(state))
}

function listenToSignals(run: BatchRun, view: ProgressView, { graceMs }: MapArguments): RunSignals {
  return new RunSignals(process, {
    drain: (signal) => {
      view.print(`${signal}: finishing what runs; once more to abort it, a third time to end at once`)
      run.stop('soon', { type: 'request', message: `stopped by ${signal}` })
      if (graceMs !== undefined) systemClock.after(graceMs, () => run.stop('now')).unref()
    },
    abort: () => {
      view.print('aborting what runs')
      run.stop('now')
    },
  })
}

function tellOf(run: BatchRun, view: ProgressView, { errors }: MapArguments): void {
  let shown = 0
  run.on('warning', (message) => view.print(`warning: ${message}`))
  run.on('failure', (failure) => {
    if (errors !== undefined || shown > SHOWN_FAILURES) return
    shown++
    view.print(
      shown > SHOWN_FAILURES ? 'further failures are only counted; --errors FILE keeps them' : failureText(failure),
    )
  })
  run.on('stop', (reason) => {
    const message = 'error' in reason ? reason.error.message : reason.message
    if (reason.type === 'output' && isBrokenPipe(reason.error)) return
    if (reason.type !== 'request') view.print(`error: ${message}`)
  })
}

function isBrokenPipe(error: Error): boolean {
  return (error as { systemCode?: string }).systemCode === 'EPIPE'
}

function report(
  summary: BatchSummary,
  journal: string | undefined,
  view: ProgressView,
  given: MapArguments,
  argv: readonly string[],
): void {
  const { stopped } = summary
  if (stopped?.type === 'output' && isBrokenPipe(stopped.error)) return
  if (given.progress === 'json') {
    const reason =
      stopped === undefined
        ? null
        : { type: stopped.type, message: 'error' in stopped ? stopped.error.message : stopped.message }
    view.printLine(JSON.stringify({ type: 'summary', ...summary, stopped: reason }))
    return
  }
  const resumeCommand = resumeCommandLine(argv, stopped === undefined ? 'failed' : 'unfinished')
  view.print(summaryLine(summary, { journal, resumeCommand }))
}

/**
 * The live page of `--dashboard`, whose code is loaded only here. Throws `BatchUsageError` when it cannot be served.
 */
async function openLivePage(pool: Dispatcher, port: number, name: string): Promise<Dashboard> {
  const { dashboard } = await import('../dashboard/index.js')
  try {
    return await dashboard(pool, { port, name })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'EADDRINUSE' ? 'the port is in use' : message
    throw new BatchUsageError(`cannot serve the dashboard on port ${port}: ${reason}`)
  }
}
