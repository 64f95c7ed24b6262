/** The picture of a run: a bar, and a row for each worker. On a terminal it is redrawn in place, elsewhere a line a second. */

import type { LiveState } from './measured-run.js'

export interface ScreenTarget {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

const BAR_WIDTH = 16
const SHARE_WIDTH = 16
const PLAIN_EVERY_MS = 1_000
const ERASE_TO_END = '\u001b[J'

function bar(share: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width)
  return '█'.repeat(full) + '░'.repeat(width - full)
}

function headline({ title, done, total, doneBytes, totalBytes, workedMs, blockedMs }: LiveState): string {
  const megabytes = `${(doneBytes / 1e6).toFixed(0)}/${(totalBytes / 1e6).toFixed(0)} MB`
  const rate = `${((done * 1000) / Math.max(workedMs, 1)).toFixed(0)} files/s`
  const fault = blockedMs === undefined ? '' : `  worker blocked ${(blockedMs / 1000).toFixed(1)} s`
  // The first files are the largest and the last the smallest: neither count nor size alone moves evenly.
  const share = (done / total + doneBytes / Math.max(totalBytes, 1)) / 2
  return `${title}  ${bar(share, BAR_WIDTH)}  ${done}/${total} files  ${megabytes}  ${rate}${fault}`
}

/** One line for the run and one for each worker, none wider than `columns`. */
export function screenLines(state: LiveState, columns: number): string[] {
  const { workers } = state.snapshot
  const rows = workers.map((worker) => {
    const share = `${bar(worker.share, SHARE_WIDTH)} ${String(Math.round(worker.share * 100)).padStart(3)}%`
    const lag = `lag ${worker.lagMs.toFixed(0).padStart(5)} ms`
    const done = `${worker.completed} done, holds ${worker.outstanding}, ${worker.takenBack} taken back`
    return `  worker ${worker.slot}  ${worker.state.padEnd(8)}  share ${share}  ${lag}  ${done}`
  })
  return [headline(state), ...rows].map((line) => line.slice(0, Math.max(0, columns)))
}

export class LiveScreen {
  readonly #target: ScreenTarget
  #shownLines = 0
  #plainDueMs = 0

  constructor(target: ScreenTarget) {
    this.#target = target
  }

  show(state: LiveState): void {
    if (this.#target.isTTY === true) {
      const lines = screenLines(state, (this.#target.columns ?? 80) - 1)
      this.#target.write(`${this.#home()}${lines.join('\n')}\n`)
      this.#shownLines = lines.length
      return
    }
    if (state.elapsedMs < this.#plainDueMs && !state.isOver) return
    this.#plainDueMs = state.elapsedMs + PLAIN_EVERY_MS
    const workers = state.snapshot.workers.map(
      ({ slot, state: word, share, lagMs }) =>
        `worker ${slot} ${word} ${Math.round(share * 100)}% lag ${lagMs.toFixed(0)} ms`,
    )
    this.#target.write(`${[headline(state), ...workers].join('  |  ')}\n`)
  }

  /** Leaves what is shown on the screen and starts below it. */
  next(): void {
    this.#shownLines = 0
    this.#plainDueMs = 0
  }

  #home(): string {
    return this.#shownLines === 0 ? '' : `\u001b[${this.#shownLines}A\r${ERASE_TO_END}`
  }
}
