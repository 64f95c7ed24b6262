import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CliFolder, numberedLines } from './cli-process.js'

let folder: CliFolder
beforeAll(() => {
  folder = new CliFolder()
  folder.write(
    'fails.mjs',
    `
    export const kinds = { failIo: 'io' }
    class OwnError extends Error {}
    const odd = ({ i }) => {
      if (i === 0) throw Object.assign(new AggregateError([new OwnError('one'), 'two'], 'outer', { cause: new TypeError('inner', { cause: 'root' }) }), { code: 'E_OUT' })
      if (i === 1) throw null
      if (i === 2) throw { code: 'E_PLAIN', message: 'plain' }
      if (i === 3) { const round = new Error('round'); round.cause = round; throw round }
      if (i === 4) throw Object.defineProperty(new Error('x'.repeat(1e6)), 'code', { get() { throw new Error('no') } })
      if (i === 5) { const round = {}; round.self = round; return round }
      return i
    }
    export const fail = odd
    export const failLater = async (value) => odd(value)
    export const failIo = async (value) => odd(value)
    export const failGroup = (values) => values.map((value) => { try { const made = odd(value); JSON.stringify(made); return made } catch (error) { return error instanceof Error ? error : Object.assign(new Error('wrapped'), { cause: error }) } })
    let tries = 0
    export const tryAgain = () => { throw new Error('try ' + ++tries) }`,
  )
})
afterAll(() => folder.remove())

const OUTER = {
  name: 'AggregateError',
  message: 'outer',
  code: 'E_OUT',
  stack: expect.stringMatching(/^AggregateError: outer\n {4}at .*fails\.mjs/),
  cause: { name: 'TypeError', message: 'inner', stack: expect.any(String), cause: { name: 'Error', message: 'root' } },
  errors: [
    { name: 'OwnError', message: 'one', stack: expect.any(String) },
    { name: 'Error', message: 'two' },
  ],
}

function checkErrors(errors: Record<string, unknown>[]): void {
  expect(errors).toHaveLength(6)
  expect(errors[0]).toEqual(OUTER)
  expect(errors[1]).toEqual({ name: 'Error', message: 'the task threw null: null' })
  expect(errors[2]).toMatchObject({ code: 'E_PLAIN', message: 'plain' })
  expect(errors[3]).toMatchObject({ message: 'round', cause: { message: expect.stringContaining('circle') } })
  expect((errors[4]!.message as string).length).toBeLessThan(8100)
  expect(errors[5]).toMatchObject({ name: 'TypeError', message: expect.stringContaining('circular') })
}

describe('what a record died of', () => {
  for (const [task, more] of [
    ['fail', []],
    ['fail', ['--timeout', '1h']],
    ['failLater', []],
    ['failIo', []],
    ['fail', ['--concurrency', '4']],
  ] as const) {
    test(`is in the file of failed records in full: ${[task, ...more].join(' ')}`, async () => {
      const args = ['-k', '-j', '1', '--errors', 'f.errors', ...more]
      const { code, stdout } = await folder.run(['map', `./fails.mjs#${task}`, ...args], { input: numberedLines(8) })
      expect([code, stdout]).toEqual([1, '6\n7\n'])
      checkErrors((folder.values('f.errors') as { error: Record<string, unknown> }[]).map(({ error }) => error))
    })
  }

  test('is in the envelope in full, and shortened on standard error', async () => {
    const { stdout, stderr } = await folder.run(['map', './fails.mjs#fail', '-k', '--envelope'], {
      input: numberedLines(6),
    })
    checkErrors(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).error),
    )
    expect(stderr).toMatch(
      /failed: standard input, line 1, byte 0: AggregateError: outer \(E_OUT\)\n {4}at .*fails\.mjs.*\n(.*\n)* {2}errors\[0\]: OwnError: one\n(.*\n)* {2}caused by: TypeError: inner\n/,
    )
  })

  test('is told of each record of a group', async () => {
    const args = ['-k', '-j', '1', '--batch', '8', '--errors', 'g.errors']
    const { stdout } = await folder.run(['map', './fails.mjs#failGroup', ...args], { input: numberedLines(8) })
    expect(stdout).toBe('6\n7\n')
    const errors = (folder.values('g.errors') as { error: Record<string, unknown> }[]).map(({ error }) => error)
    expect(errors[0]).toEqual(OUTER)
    expect(errors[2]).toMatchObject({ message: 'wrapped', cause: { code: 'E_PLAIN', message: 'plain' } })
    expect(errors).toHaveLength(6)
  })

  test('is told of the tries before, and of what ended a worker', async () => {
    const again = ['-j', '1', '--retries', '2', '--retry-delay', '1ms', '--errors', 't.errors']
    await folder.run(['map', './fails.mjs#tryAgain', ...again], { input: '1\n' })
    expect(folder.values('t.errors')).toMatchObject([
      { attempts: 3, error: { message: 'try 3', earlier: [{ message: 'try 1' }, { message: 'try 2' }] } },
    ])
    await folder.map('exit', ['-j', '1', '--errors', 'x.errors'], { input: '{"i":1,"code":3}\n' })
    expect(folder.values('x.errors')).toMatchObject([
      { error: { code: 'EVENKEEL_WORKER_EXIT', stack: expect.any(String) } },
    ])
  })
})
