/**
 * A dispatcher made for one batch run: its threads share the arena and run `map-record` around the user's
 * module, so that only the place of a record crosses over.
 */

import { StretchMemory, stretchMemoryBytes } from '../base/record-stretch.js'
import type { RecordDecoding, RecordTaskSetup, ResultEncoding } from '../base/record-transfer.js'
import { mapRecordUrl } from '../base/worker-urls.js'
import { Dispatcher } from '../dispatcher/dispatcher.js'
import type { DispatcherOptions } from '../dispatcher/options.js'
import { BatchUsageError } from './batch-errors.js'
import type { MapFileOptions, OutputFormat, RecordFormat } from './map-options.js'
import { RecordArena } from './record-arena.js'
import { type RecordRunner, SharedRecordRunner } from './record-runner.js'

/** Options of a run that its threads must know from the start. */
export type RecordCodecOptions = Pick<
  MapFileOptions,
  'format' | 'raw' | 'output' | 'envelope' | 'groupSize' | 'timeout'
>

/** What `new RecordPool` takes. */
export interface RecordPoolOptions {
  /** URL of the user's module, or a bare specifier. */
  readonly module: string
  /** Export to call. Default: `default`, or the only task. */
  readonly task?: string | undefined
  /** Records that an asynchronous task runs side by side on a worker. Default: as the module's `kinds` says. */
  readonly concurrency?: number | undefined
  /** How records are read and results written. */
  readonly codec: RecordCodecOptions
  /** Everything else of the dispatcher. */
  readonly dispatcher?: Omit<DispatcherOptions, 'module' | 'workerData'>
}

/** More stretches than are under way at once for up to 32 workers: 67 MiB, of which only what is used is touched. */
const STRETCH_SLOTS = 256

export interface RecordCodec {
  readonly decoding: RecordDecoding
  readonly encoding: ResultEncoding
  readonly grouped: boolean
  readonly timed: boolean
}

export function recordCodec(options: {
  format?: RecordFormat | undefined
  raw?: boolean | undefined
  output?: OutputFormat | undefined
  envelope?: boolean | undefined
  groupSize?: number | undefined
  timeout?: MapFileOptions['timeout'] | undefined
}): RecordCodec {
  const { format = 'jsonl', raw = false, output, envelope = false, groupSize = 1, timeout } = options
  const bareText = raw || format === 'lines' || format === 'nul'
  const isText = (output ?? (bareText ? 'text' : 'jsonl')) === 'text' && !envelope
  return {
    decoding: bareText ? 'text' : 'json',
    encoding: isText ? 'text' : 'json',
    grouped: groupSize > 1,
    timed: envelope || timeout?.medians !== undefined,
  }
}

/** Workers that run one task over records in shared memory. */
export class RecordPool {
  readonly dispatcher: Dispatcher
  readonly arena = new RecordArena()
  readonly stretches: StretchMemory
  readonly runner: RecordRunner
  readonly #codec: RecordCodec

  constructor({ module, task, concurrency, codec, dispatcher }: RecordPoolOptions) {
    this.#codec = recordCodec(codec)
    const stretches = new SharedArrayBuffer(stretchMemoryBytes(STRETCH_SLOTS))
    this.stretches = new StretchMemory(stretches)
    const workerData: RecordTaskSetup = {
      arena: this.arena.memory,
      stretches,
      module,
      task,
      ...this.#codec,
      concurrent: concurrency !== undefined && concurrency > 1,
    }
    this.dispatcher = new Dispatcher({
      ...dispatcher,
      ...(concurrency === undefined ? {} : { ioWindow: concurrency }),
      module: mapRecordUrl,
      workerData,
    })
    this.runner = new SharedRecordRunner(this.dispatcher, () => void this.dispatcher.close({ force: true }))
  }

  /** Throws `BatchUsageError` when the threads were started for other formats than the run wants. */
  checkCodec(codec: RecordCodec): void {
    for (const [name, value] of Object.entries(codec)) {
      if (this.#codec[name as keyof RecordCodec] !== value) {
        throw new BatchUsageError(`the record pool was opened for other formats than the run (${name})`)
      }
    }
  }
}
