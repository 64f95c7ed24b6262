import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Clock } from '../../src/base/clock.js'
import type { BatchProgress } from '../../src/batch/options/batch-progress.js'
import {
  ASCII,
  BLOCKS,
  barLine,
  barStyle,
  chooseMode,
  plainLine,
  ratePerSecond,
  remainingMs,
  shareDone,
  showProgress,
  slowText,
} from '../../src/cli/progress.js'

const PROGRESS: BatchProgress = {
  ok: 400,
  failed: 10,
  skipped: 0,
  retried: 0,
  unfinished: 0,
  resumed: 0,
  posted: 8,
  elapsedMs: 2000,
  readBytes: 4100,
  resumedBytes: 0,
  totalBytes: 10_000,
  totalRecords: undefined,
  mostRecords: undefined,
  heldBy: undefined,
}

describe('progress', () => {
  test('goes by bytes, or by records when their number is known', () => {
    expect(shareDone(PROGRESS)).toBeCloseTo(0.41)
    expect(shareDone({ ...PROGRESS, totalRecords: 820 })).toBeCloseTo(0.5)
    expect(shareDone({ ...PROGRESS, totalBytes: undefined })).toBeUndefined()
    expect(shareDone({ ...PROGRESS, totalBytes: 0 })).toBeUndefined()
    expect(shareDone({ ...PROGRESS, readBytes: 20_000 })).toBe(1)
    expect(shareDone({ ...PROGRESS, mostRecords: 410 })).toBe(1)
    expect(shareDone({ ...PROGRESS, mostRecords: 100_000 })).toBeCloseTo(0.41)
    expect(shareDone({ ...PROGRESS, mostRecords: 820, totalBytes: undefined })).toBeCloseTo(0.5)
  })

  test('the rate and the rest come from this run alone', () => {
    expect(ratePerSecond(PROGRESS)).toBe(205)
    // 4,100 bytes in 2 s leave 5,900 for 2.9 s.
    expect(remainingMs(PROGRESS)).toBeCloseTo(2878, 0)
    const resumed = { ...PROGRESS, resumed: 1_000_000, resumedBytes: 4000, readBytes: 4100 }
    expect(remainingMs(resumed)).toBeCloseTo(118_000, -1)
    expect(remainingMs({ ...resumed, totalRecords: 1_000_820 })).toBeCloseTo(2000, -1)
    expect(remainingMs({ ...PROGRESS, mostRecords: 820 })).toBeCloseTo(2000, 0)
    expect(remainingMs({ ...PROGRESS, mostRecords: 100_000 })).toBeCloseTo(2878, 0)
    expect(remainingMs({ ...PROGRESS, elapsedMs: 100 })).toBeUndefined()
    expect(remainingMs({ ...PROGRESS, totalBytes: undefined })).toBeUndefined()
  })

  test('a line never grows wider than the terminal, whatever happens', () => {
    const count = fc.nat(10 ** 9)
    fc.assert(
      fc.property(
        fc.record({
          ok: count,
          failed: count,
          skipped: count,
          retried: count,
          resumed: count,
          readBytes: count,
          elapsedMs: count,
        }),
        fc.nat(200),
        fc.option(fc.nat(10 ** 9), { nil: undefined }),
        (counts, columns, totalBytes) => {
          const line = barLine({ ...PROGRESS, ...counts, totalBytes }, columns, BLOCKS)
          expect(line.length).toBeLessThanOrEqual(columns)
        },
      ),
    )
  })

  test('a wide line has everything, a narrow one the first things', () => {
    const wide = barLine({ ...PROGRESS, retried: 3, heldBy: 'load' }, 120, ASCII)
    expect(wide).toBe('############------------------  41%  400 ok  10 failed  205/s  ETA 2.9s  held: load  3 retried')
    expect(barLine(PROGRESS, 12, ASCII)).toBe('41%  400 ok')
    expect(barLine(PROGRESS, 3, ASCII)).toBe('41%')
    expect(barLine(PROGRESS, 2, ASCII)).toBe('')
    expect(barLine({ ...PROGRESS, totalBytes: undefined }, 80, ASCII)).toBe('400 ok  10 failed  205/s')
  })

  test('in a log it is a sentence', () => {
    expect(plainLine({ ...PROGRESS, skipped: 2, resumed: 5 })).toBe(
      '41%, 400 ok, 10 failed, 205/s, ETA 2.9s, 2 skipped, 5 from before, after 2.0s',
    )
    expect(slowText([{ input: 'in', line: 4, ageMs: 12_300 }])).toBe('in:4 (12.3s)')
  })
})

const CLEAR = '\r\u001b[K'

const BEGUN: BatchProgress = { ...PROGRESS, ok: 1, failed: 0, posted: 2, elapsedMs: 1000, readBytes: 5, totalBytes: 10 }

function view(mode: 'bar' | 'plain' | 'json' | 'none', columns = 60) {
  let text = ''
  let tick: () => void = () => undefined
  let periodMs = 0
  let stopped = false
  const clock: Clock = {
    nowMs: () => 0,
    after: () => ({ stop: () => undefined, unref: () => undefined }),
    every: (given, callback) => {
      periodMs = given
      tick = callback
      return {
        stop: () => {
          stopped = true
        },
        unref: () => undefined,
      }
    },
  }
  const state = { ...BEGUN }
  const target = {
    columns,
    isTTY: true,
    write: (part: string) => {
      text += part
    },
  }
  const source = { progress: () => ({ ...state }), slowest: () => [{ input: 'in', line: 7, ageMs: 6000 }] }
  const shown = showProgress({ mode, source, target, clock, style: ASCII })
  const taken = () => {
    const seen = text
    text = ''
    return seen
  }
  return { shown, taken, tick: () => tick(), state, target, periodMs: () => periodMs, stopped: () => stopped }
}

test('a bar is drawn over itself, makes room for lines, and goes away', () => {
  const { shown, taken, tick, target, stopped } = view('bar')
  tick()
  const first = taken()
  expect(first).toMatch(/^#+-+ {2}50%/)
  tick()
  expect(taken()).toBe(`${CLEAR}${first}`)
  shown.print('a line')
  expect(taken()).toBe(`${CLEAR}a line\n`)
  tick()
  expect(taken()).toBe(first)
  target.columns = 1
  tick()
  expect(taken()).toBe(CLEAR)
  tick()
  expect(taken()).toBe('')
  shown.end()
  expect([taken(), stopped()]).toEqual(['', true])
})

test('a run in which nothing ends names what is under way, once', () => {
  const { taken, tick, state } = view('bar')
  tick()
  taken()
  state.elapsedMs += 6000
  tick()
  expect(taken()).toContain('under way: in:7 (6.0s)\n')
  tick()
  expect(taken()).not.toContain('under way')
  state.ok++
  tick()
  state.elapsedMs += 6000
  tick()
  expect(taken()).toContain('under way')
})

test('plain lines come every half minute, JSON every second, none never', () => {
  const plain = view('plain')
  expect(plain.periodMs()).toBe(30_000)
  plain.tick()
  expect(plain.taken()).toBe('50%, 1 ok, 1.0/s, ETA 1.0s, after 1.0s\n')
  const json = view('json')
  expect(json.periodMs()).toBe(1000)
  json.tick()
  expect(JSON.parse(json.taken())).toMatchObject({ type: 'progress', ok: 1, slowest: [] })
  json.shown.print('a message')
  expect(JSON.parse(json.taken())).toEqual({ type: 'message', text: 'a message' })
  const none = view('none')
  expect(none.periodMs()).toBe(0)
  none.shown.print('still printed')
  none.shown.end()
  expect(none.taken()).toBe('still printed\n')
})

test('the mode follows the terminal and the environment', () => {
  const terminal = { write: () => undefined, isTTY: true }
  expect(chooseMode('auto', terminal, false, {})).toBe('bar')
  expect(chooseMode('auto', terminal, true, {})).toBe('none')
  expect(chooseMode('auto', { write: () => undefined }, false, {})).toBe('plain')
  for (const environment of [{ CI: 'true' }, { NO_COLOR: '1' }, { TERM: 'dumb' }]) {
    expect(chooseMode('auto', terminal, false, environment)).toBe('plain')
    expect(chooseMode('bar', terminal, false, environment)).toBe('bar')
  }
  expect(chooseMode('auto', terminal, false, { CI: 'false', NO_COLOR: '' })).toBe('bar')
})

test('blocks are drawn where the locale has them', () => {
  expect(barStyle({ LANG: 'en_US.UTF-8' })).toBe(BLOCKS)
  expect(barStyle({ LANG: 'en_US.UTF-8', LC_ALL: 'C' })).toBe(ASCII)
  expect(barStyle({})).toBe(ASCII)
})

test('a terminal that says it has no columns gets a bar of the usual width', () => {
  const { taken, tick } = view('bar', 0)
  tick()
  const line = taken().replaceAll(CLEAR, '')
  expect(line).toContain('50%')
  expect(line.length).toBeLessThan(80)
})
