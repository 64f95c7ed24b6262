/** A run's progress on standard error: as a bar, as lines, as JSON, or not at all. */

import type { Clock, Timer } from '../base/clock.js'
import type { BatchProgress, SlowRecord } from '../batch/options/batch-progress.js'
import { formatCount, formatDuration, formatRate } from './quantities.js'

export type ProgressMode = 'auto' | 'bar' | 'plain' | 'json' | 'none'
export const PROGRESS_MODES: readonly ProgressMode[] = ['auto', 'bar', 'plain', 'json', 'none']

export interface ProgressSource {
  progress(): BatchProgress
  slowest(count: number): SlowRecord[]
}

/** The used part of standard error. */
export interface ProgressTarget {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface ProgressView {
  /** Writes text in its own lines, apart from the bar. In JSON mode it becomes an object. */
  print(text: string): void
  /** Writes a line as it is. */
  printLine(line: string): void
  /** Removes the bar and stops. */
  end(): void
}

export type Environment = Readonly<Record<string, string | undefined>>

/** A bar needs a terminal that can move its cursor, and an environment that does not ask for plain text. */
export function chooseMode(
  mode: ProgressMode,
  target: ProgressTarget,
  dataOnTerminal: boolean,
  environment: Environment,
): Exclude<ProgressMode, 'auto'> {
  if (mode !== 'auto') return mode
  if (target.isTTY === true && dataOnTerminal) return 'none'
  const { CI, TERM, NO_COLOR } = environment
  const plain = target.isTTY !== true || isSet(CI) || TERM === 'dumb' || isSet(NO_COLOR)
  return plain ? 'plain' : 'bar'
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false'
}

export function barStyle({ LC_ALL, LC_CTYPE, LANG }: Environment): BarStyle {
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '') ? BLOCKS : ASCII
}

const BAR_EVERY_MS = 100
const PLAIN_EVERY_MS = 30_000
const JSON_EVERY_MS = 1_000
/** When no record ends for this long, the records under way are named. */
const STUCK_AFTER_MS = 5_000
const SLOWEST_SHOWN = 3

export interface ProgressViewOptions {
  readonly mode: Exclude<ProgressMode, 'auto'>
  readonly source: ProgressSource
  readonly target: ProgressTarget
  readonly clock: Clock
  readonly style: BarStyle
}

export function showProgress(options: ProgressViewOptions): ProgressView {
  if (options.mode === 'bar') return new BarView(options)
  const periodMs = options.mode === 'json' ? JSON_EVERY_MS : PLAIN_EVERY_MS
  return new LineView(options, options.mode === 'none' ? undefined : periodMs)
}

/** Width of a terminal that reports none, or 0, as some that a program has made do. */
const UNKNOWN_COLUMNS = 80

/** Moves to the start of the line and clears it. */
const CLEAR_LINE = '\r\u001b[K'

/** Notices when no record ends for a while. */
class StuckWatch {
  readonly #source: ProgressSource
  #settled = -1
  #sinceMs = 0

  constructor(source: ProgressSource) {
    this.#source = source
  }

  /** The records longest under way, if no record has ended for a while. */
  slowest({ ok, failed, skipped, elapsedMs, posted }: BatchProgress): SlowRecord[] {
    const settled = ok + failed + skipped
    if (settled !== this.#settled) {
      this.#settled = settled
      this.#sinceMs = elapsedMs
    }
    return posted > 0 && elapsedMs - this.#sinceMs >= STUCK_AFTER_MS ? this.#source.slowest(SLOWEST_SHOWN) : []
  }
}

class LineView implements ProgressView {
  readonly #options: ProgressViewOptions
  readonly #timer: Timer | undefined
  readonly #stuck: StuckWatch

  constructor(options: ProgressViewOptions, periodMs: number | undefined) {
    this.#options = options
    this.#stuck = new StuckWatch(options.source)
    this.#timer = periodMs === undefined ? undefined : options.clock.every(periodMs, () => this.#tick())
    this.#timer?.unref()
  }

  print(text: string): void {
    this.printLine(this.#options.mode === 'json' ? JSON.stringify({ type: 'message', text }) : text)
  }

  printLine(line: string): void {
    this.#options.target.write(`${line}\n`)
  }

  end(): void {
    this.#timer?.stop()
  }

  #tick(): void {
    const { source, mode } = this.#options
    const progress = source.progress()
    const slow = this.#stuck.slowest(progress)
    if (mode === 'json') this.printLine(JSON.stringify({ type: 'progress', ...progress, slowest: slow }))
    else
      this.print(plainLine(progress) + (slow.length > 0 ? `; nothing ended lately, under way: ${slowText(slow)}` : ''))
  }
}

class BarView implements ProgressView {
  readonly #options: ProgressViewOptions
  readonly #timer: Timer
  readonly #stuck: StuckWatch
  #isShown = false
  #wasStuck = false

  constructor(options: ProgressViewOptions) {
    this.#options = options
    this.#stuck = new StuckWatch(options.source)
    this.#timer = options.clock.every(BAR_EVERY_MS, () => this.#draw())
    this.#timer.unref()
  }

  print(text: string): void {
    this.printLine(text)
  }

  printLine(line: string): void {
    this.#clear()
    this.#options.target.write(`${line}\n`)
  }

  end(): void {
    this.#timer.stop()
    this.#clear()
  }

  #draw(): void {
    const { source, target, style } = this.#options
    const progress = source.progress()
    const slow = this.#stuck.slowest(progress)
    // Named once each time the run gets stuck, above the bar.
    if (slow.length > 0 && !this.#wasStuck) this.print(`nothing ended for a while, under way: ${slowText(slow)}`)
    this.#wasStuck = slow.length > 0
    // The last column stays free, because a character there makes some terminals go to the next line.
    const line = barLine(progress, (target.columns || UNKNOWN_COLUMNS) - 1, style)
    const away = this.#isShown ? CLEAR_LINE : ''
    this.#isShown = line !== ''
    if (away + line !== '') target.write(away + line)
  }

  /** The cursor is never hidden, so it need not be shown again. */
  #clear(): void {
    if (this.#isShown) this.#options.target.write(CLEAR_LINE)
    this.#isShown = false
  }
}

/** Share of the work that is done, 0..1. `undefined` when the size of the work is not known. */
export function shareDone(progress: BatchProgress): number | undefined {
  const { totalRecords, mostRecords, totalBytes, ok, failed, skipped, resumed, readBytes } = progress
  const records = ok + failed + skipped + resumed
  const shares = [share(records, totalRecords)]
  // The run ends at the end of its input or at its limit, whichever comes first.
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

/** Time to the end at this run's own speed. Work of an earlier run does not count. */
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

/** At the speed of `done` in `elapsedMs`. `before` was done when the run began. */
function timeLeft(done: number, total: number | undefined, before: number, elapsedMs: number): number | undefined {
  return total === undefined || done <= 0 ? undefined : Math.max(0, (elapsedMs * (total - before - done)) / done)
}

/** The facts, most important first. A narrow terminal shows only the first. */
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

/** One line that is never wider than `columns`. Empty when nothing fits. */
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
