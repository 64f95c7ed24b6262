/** Turns what happens to records into the events of a run. */

import type { EventEmitter } from 'node:events'
import type { RecordError } from '../records/plain-error.js'
import type { FlowListener } from './flow/record-flow.js'
import type { BatchEvents, StopReason } from './options/batch-progress.js'
import type { InputRecord } from './records/record.js'

export interface ReporterOptions {
  readonly run: EventEmitter<BatchEvents> & { stop(when: 'soon' | 'now', reason: StopReason): void }
  readonly inputNames: readonly string[]
  readonly settled: () => void
}

export class RunReporter implements FlowListener {
  readonly settled: () => void
  readonly #run: ReporterOptions['run']
  readonly #inputNames: readonly string[]
  readonly #warned = new Set<string>()

  constructor({ run, inputNames, settled }: ReporterOptions) {
    this.#run = run
    this.#inputNames = inputNames
    this.settled = settled
  }

  failed(record: InputRecord, error: RecordError): void {
    const { line, offset, attempts } = record
    this.#run.emit('failure', { input: this.#inputNames[record.input]!, line, offset, attempts, error })
  }

  retried(record: InputRecord, delayMs: number, error: RecordError): void {
    this.#run.emit('retry', { input: this.#inputNames[record.input]!, line: record.line, delayMs, error })
  }

  foundBad({ input, line, offset }: InputRecord, message: string): void {
    const place = `${this.#inputNames[input]}, line ${line}, byte ${offset}`
    this.#run.stop('soon', { type: 'bad-record', message: `bad record in ${place}: ${message}` })
  }

  workersFailed(error: Error): void {
    this.#run.stop('now', { type: 'workers', error })
  }

  warned(kind: 'number' | 'surrogate', { input, line }: InputRecord): void {
    if (this.#warned.has(kind)) return
    this.#warned.add(kind)
    const place = `${this.#inputNames[input]}, line ${line}`
    this.#run.emit(
      'warning',
      kind === 'number'
        ? `numbers that a double cannot hold were changed, first in ${place}; --raw hands records over as text`
        : `lone surrogates were written as \\u escapes, first in ${place}`,
    )
  }
}
