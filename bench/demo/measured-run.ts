/** Maps the fingerprint task over files while one worker is blocked in the middle, and measures every task. */

import { systemClock } from '../../src/base/clock.js'
import { builtinTaskUrls } from '../../src/base/worker-urls.js'
import { Dispatcher, type DispatcherOptions, type DispatcherSnapshot } from '../../src/index.js'
import type { ListedFile } from './file-list.js'

/** How long one worker is kept from working. */
export const BLOCK_MS = 2_000

/** A task that settles later than this after its submission is late. */
export const LATE_MS = 250

/** Calls after which the pool knows how long the block usually takes: not at all. Then the long one is a stall. */
const BLOCK_WARM_UPS = 20

/** The largest file may take ten seconds and more, and comes first, when nothing is known of its task. */
const STALL_UNKNOWN_MS = 60_000

/** Files in flight: enough to keep every worker busy, and few enough that the wait in line stays short. */
const IN_FLIGHT_PER_WORKER = 16

interface Print {
  readonly path: string
  readonly sizeBytes: number
  readonly sha256: string
  readonly gzipBytes: number
}

interface RunPlace {
  readonly slot: number
  readonly startedMs: number
  readonly endedMs: number
}

export interface MeasuredFile extends RunPlace {
  readonly submittedMs: number
  readonly settledMs: number
  readonly print: Print
}

export interface MeasuredRun {
  readonly files: readonly MeasuredFile[]
  readonly block: RunPlace
  readonly wallMs: number
}

export interface LiveState {
  readonly title: string
  readonly done: number
  readonly total: number
  readonly doneBytes: number
  readonly totalBytes: number
  readonly elapsedMs: number
  /** The same, up to the last file. */
  readonly workedMs: number
  /** Milliseconds that the block has lasted; undefined before and after. */
  readonly blockedMs: number | undefined
  /** The last picture of the run. */
  readonly isOver: boolean
  readonly snapshot: DispatcherSnapshot
}

export interface MeasureOptions {
  readonly title: string
  readonly workers: number
  readonly pool?: Pick<DispatcherOptions, 'mode' | 'strategy'>
  /** Called every 100 ms with a function that reads the state. */
  readonly show: (state: LiveState) => void
}

const SHOW_EVERY_MS = 100

export async function measuredRun(files: readonly ListedFile[], options: MeasureOptions): Promise<MeasuredRun> {
  const { title, workers, pool: poolOptions, show } = options
  const pool = new Dispatcher({
    ...poolOptions,
    module: builtinTaskUrls.fingerprint,
    workers,
    stallUnknownMs: STALL_UNKNOWN_MS,
  })
  const submittedMs: number[] = []
  const measured: MeasuredFile[] = []
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  let doneBytes = 0
  let blocking: Promise<unknown> | undefined
  let blockStartMs: number | undefined
  function* paths(): Generator<string> {
    for (const { path } of files) {
      submittedMs.push(systemClock.nowMs())
      yield path
    }
  }
  try {
    await pool.ready()
    for (let call = 0; call < BLOCK_WARM_UPS; call++) await pool.run('block', 0)
    const startMs = systemClock.nowMs()
    let wallMs: number | undefined
    const draw = (isOver = false): void =>
      show({
        title,
        done: measured.length,
        total: files.length,
        doneBytes,
        totalBytes,
        elapsedMs: systemClock.nowMs() - startMs,
        workedMs: wallMs ?? systemClock.nowMs() - startMs,
        isOver,
        blockedMs: blockStartMs === undefined ? undefined : systemClock.nowMs() - blockStartMs,
        snapshot: pool.snapshot(),
      })
    const timer = systemClock.every(SHOW_EVERY_MS, () => draw())
    try {
      const concurrency = IN_FLIGHT_PER_WORKER * workers
      for await (const { index, value } of pool.map('placedFingerprint', paths(), { concurrency })) {
        const result = value as RunPlace & { readonly print: Print }
        measured.push({ ...result, submittedMs: submittedMs[index]!, settledMs: systemClock.nowMs() })
        doneBytes += result.print.sizeBytes
        if (blocking === undefined && measured.length >= files.length / 2) {
          blockStartMs = systemClock.nowMs()
          blocking = pool.run('block', BLOCK_MS).finally(() => {
            blockStartMs = undefined
          })
        }
      }
      wallMs = systemClock.nowMs() - startMs
      // The files may be done before the blocked worker is free again.
      const block = (await blocking) as RunPlace
      draw(true)
      return { files: measured, block, wallMs }
    } finally {
      timer.stop()
    }
  } finally {
    await pool.close()
  }
}
