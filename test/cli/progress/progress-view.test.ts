import { expect, test } from 'vitest'
import type { Clock } from '../../../src/base/clock.js'
import type { BatchProgress } from '../../../src/batch/options/batch-progress.js'
import { ASCII, BLOCKS } from '../../../src/cli/progress/progress-text.js'
import { barStyle, chooseMode, showProgress } from '../../../src/cli/progress/progress-view.js'

const CLEAR = '\r\u001b[K'

const PROGRESS: BatchProgress = {
  ok: 1,
  failed: 0,
  skipped: 0,
  retried: 0,
  unfinished: 0,
  resumed: 0,
  posted: 2,
  elapsedMs: 1000,
  readBytes: 5,
  resumedBytes: 0,
  totalBytes: 10,
  totalRecords: undefined,
  mostRecords: undefined,
  heldBy: undefined,
}

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
  const state = { ...PROGRESS }
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
