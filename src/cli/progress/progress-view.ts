/** Shows how a run gets on, on standard error: as a bar, as lines now and then, as JSON, or not at all. */

import type { Clock, Timer } from '../../base/clock.js'
import type { BatchProgress, SlowRecord } from '../../batch/options/batch-progress.js'
import { ASCII, type BarStyle, BLOCKS, barLine, plainLine, slowText } from './progress-text.js'

export type ProgressMode = 'auto' | 'bar' | 'plain' | 'json' | 'none'
export const PROGRESS_MODES: readonly ProgressMode[] = ['auto', 'bar', 'plain', 'json', 'none']

export interface ProgressSource {
  progress(): BatchProgress
  slowest(count: number): SlowRecord[]
}

/** What the view needs of standard error. */
export interface ProgressTarget {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface ProgressView {
  /** Writes lines of text without spoiling what is shown; in JSON they become an object too. */
  print(text: string): void
  /** Writes a line as it is. */
  printLine(line: string): void
  /** Takes away what is shown. */
  end(): void
}

export type Environment = Readonly<Record<string, string | undefined>>

/** A bar needs a terminal that moves its cursor, and nobody who asked for plain text. */
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
/** A run in which nothing ends for so long names the records that are under way. */
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

/** Width of a terminal that does not say one, or says 0, as some do that a program has made. */
const UNKNOWN_COLUMNS = 80

/** To the start of the line, and away with what stands there. */
const CLEAR_LINE = '\r\u001b[K'

/** Notices when no record ends for a while. */
class StuckWatch {
  readonly #source: ProgressSource
  #settled = -1
  #sinceMs = 0

  constructor(source: ProgressSource) {
    this.#source = source
  }

  /** The records longest under way, once nothing has ended for a while. */
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
    // Named once for each time the run gets stuck, above the bar.
    if (slow.length > 0 && !this.#wasStuck) this.print(`nothing ended for a while, under way: ${slowText(slow)}`)
    this.#wasStuck = slow.length > 0
    // The last column stays free: a character there makes some terminals go to the next line.
    const line = barLine(progress, (target.columns || UNKNOWN_COLUMNS) - 1, style)
    const away = this.#isShown ? CLEAR_LINE : ''
    this.#isShown = line !== ''
    if (away + line !== '') target.write(away + line)
  }

  /** The cursor is never hidden, so there is none to bring back. */
  #clear(): void {
    if (this.#isShown) this.#options.target.write(CLEAR_LINE)
    this.#isShown = false
  }
}
