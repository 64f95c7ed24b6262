import { expect, test } from 'vitest'
import { type MapArguments, mapProgram } from '../../src/cli/map-arguments.js'

function parse(...args: string[]): MapArguments {
  let given: MapArguments | undefined
  const program = mapProgram()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .action((_module, options) => {
      given = options
    })
  program.parse(['module.mjs', ...args], { from: 'user' })
  return given!
}

test('defaults are those of the help', () => {
  expect(parse()).toMatchObject({ out: '-', format: 'jsonl', batch: 1, retries: 0, progress: 'auto', maxLine: 2 ** 24 })
  expect(parse().keepOrder).toBeUndefined()
  expect(parse().journal).toBeUndefined()
})

test('options are taken with their units', () => {
  expect(
    parse(
      '-i',
      'a',
      '--in',
      'b',
      '-j',
      '50%',
      '--timeout',
      '200%',
      '--retry-delay',
      '10ms',
      '--rate',
      '6/m',
      '--halt',
      'now,fail=1',
    ),
  ).toMatchObject({
    in: ['a', 'b'],
    threads: { share: 0.5 },
    timeout: { medians: 2 },
    retryDelayMs: 10,
    rate: 0.1,
    halt: { when: 'now', why: 'fail', limit: 1 },
  })
  expect(parse('--timeout', '2s').timeout).toEqual({ ms: 2000 })
})

test('order, journal and resume can be given in each of their forms', () => {
  expect([parse('-k').keepOrder, parse('--no-keep-order').keepOrder]).toEqual([true, false])
  expect([parse('--journal', 'j').journal, parse('--no-journal').journal]).toEqual(['j', false])
  expect([parse('--resume').resume, parse('--resume', 'all').resume, parse('--resume=failed').resume]).toEqual([
    'unfinished',
    'all',
    'failed',
  ])
})

test('a dashboard can be asked for with and without a port', () => {
  expect([parse().dashboard, parse('--dashboard').dashboard]).toEqual([undefined, true])
  expect([parse('--dashboard', '4000').dashboard, parse('--dashboard=0').dashboard]).toEqual([4000, 0])
})

test('wrong values and unknown options are refused', () => {
  for (const args of [
    ['--format', 'xml'],
    ['--batch', '0'],
    ['--threads', '1.5'],
    ['--halt', 'x'],
    ['--max-errors', 'x'],
    ['--resume', 'some'],
    ['--dashboard', '65536'],
    ['--dashboard', 'module.mjs'],
    ['--unknown'],
  ]) {
    expect(() => parse(...args)).toThrow(expect.objectContaining({ name: 'CommanderError' }))
  }
})
