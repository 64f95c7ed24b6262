/** What a run looks like, as text. Pure: numbers in, text out. */

import type { BatchProgress, SlowRecord } from '../../batch/options/batch-progress.js'
import { formatCount, formatDuration, formatRate } from '../quantities.js'

/** Share of the work that is done, 0..1, or `undefined` when its size is not known. */
export function shareDone(progress: BatchProgress): number | undefined {
  const { totalRecords, mostRecords, totalBytes, ok, failed, skipped, resumed, readBytes } = progress
  const records = ok + failed + skipped + resumed
  const shares = [share(records, totalRecords)]
  // Whichever comes first ends the run: its input or its limit. Bytes say nothing of the part that takes part.
  if (totalRecords === undefined) shares.push(share(records, mostRecords), share(readBytes, totalBytes))
  const known = shares.filter((each) => each !== undefined)
  return known.length === 0 ? undefined : Math.min(1, Math.max(...known))
}

function share(done: number, total: number | undefined): number | undefined {
  return total === undefined || total === 0 ? undefined : done / total
}

/** Records per second of this run alone. */
export function ratePerSecond({ ok, failed, elapsedMs }: BatchProgress): number {
  return elapsedMs <= 0 ? 0 : ((ok + failed) * 1000) / elapsedMs
}

/** Time to the end at this run's own speed; what an earlier run did counts neither as work nor as time. */
export function remainingMs(progress: BatchProgress): number | undefined {
  const { totalRecords, mostRecords, totalBytes, ok, failed, resumed, skipped, readBytes, resumedBytes, elapsedMs } =
    progress
  if (elapsedMs < 500) return undefined
  const records = ok + failed + skipped
  const times = [timeLeft(records, totalRecords, resumed, elapsedMs)]
  if (totalRecords === undefined) {
    times.push(timeLeft(records, mostRecords, resumed, elapsedMs))
    times.push(timeLeft(readBytes - resumedBytes, totalBytes, resumedBytes, elapsedMs))
  }
  const known = times.filter((each) => each !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** At the speed of `done` in `elapsedMs`; `before` was there from the start. */
function timeLeft(done: number, total: number | undefined, before: number, elapsedMs: number): number | undefined {
  return total === undefined || done <= 0 ? undefined : Math.max(0, (elapsedMs * (total - before - done)) / done)
}

/** The facts, most important first; a narrow terminal shows the first few. */
function facts(progress: BatchProgress): string[] {
  const { ok, failed, skipped, retried, resumed, heldBy } = progress
  const list = [`${formatCount(ok)} ok`]
  if (failed > 0) list.push(`${formatCount(failed)} failed`)
  list.push(formatRate(ratePerSecond(progress)))
  const leftMs = remainingMs(progress)
  if (leftMs !== undefined) list.push(`ETA ${formatDuration(leftMs)}`)
  if (heldBy !== undefined) list.push(`held: ${heldBy}`)
  if (skipped > 0) list.push(`${formatCount(skipped)} skipped`)
  if (retried > 0) list.push(`${formatCount(retried)} retried`)
  if (resumed > 0) list.push(`${formatCount(resumed)} from before`)
  return list
}

export function slowText(slow: readonly SlowRecord[]): string {
  return slow.map(({ input, line, ageMs }) => `${input}:${line} (${formatDuration(ageMs)})`).join(', ')
}

export interface BarStyle {
  readonly full: string
  readonly empty: string
}

export const BLOCKS: BarStyle = { full: '█', empty: '░' }
export const ASCII: BarStyle = { full: '#', empty: '-' }

const WIDEST_BAR = 30
const NARROWEST_BAR = 6

/** One line that is never wider than `columns`, whatever that is; empty when there is no room for anything. */
export function barLine(progress: BatchProgress, columns: number, style: BarStyle): string {
  const share = shareDone(progress)
  const percent = share === undefined ? '' : `${Math.floor(share * 100)}%`
  const parts: string[] = percent === '' ? [] : [percent]
  for (const fact of facts(progress)) {
    const longer = [...parts, fact].join('  ')
    if (longer.length > columns) break
    parts.push(fact)
  }
  const text = parts.join('  ')
  if (text.length > columns) return ''
  const room = columns - text.length - 2
  if (share === undefined || room < NARROWEST_BAR) return text
  const width = Math.min(WIDEST_BAR, room)
  const full = Math.round(share * width)
  return `${style.full.repeat(full)}${style.empty.repeat(width - full)}  ${text}`
}

/** The same without a bar, for logs. */
export function plainLine(progress: BatchProgress): string {
  const share = shareDone(progress)
  const percent = share === undefined ? [] : [`${Math.floor(share * 100)}%`]
  return [...percent, ...facts(progress), `after ${formatDuration(progress.elapsedMs)}`].join(', ')
}
