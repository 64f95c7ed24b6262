import { Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test } from 'vitest'
import { withoutProcessFlags } from '../../src/engine/piscina-supervisor.js'
import type { ThreadOptions } from '../../src/engine/supervisor.js'

/** What Node says to these options. */
function refusalOf({ execArgv, env }: ThreadOptions): unknown {
  try {
    void new Worker('', { eval: true, execArgv: execArgv && [...execArgv], env }).terminate()
  } catch (refusal) {
    return refusal
  }
  throw new Error('Node took the options')
}

/** As if the process had been started with these flags. */
function startedWith(...flags: string[]): void {
  const before = process.execArgv
  process.execArgv = flags
  onTestFinished(() => {
    process.execArgv = before
  })
}

describe('withoutProcessFlags', () => {
  test('drops what Node refuses and the process has, and keeps the rest', () => {
    startedWith('--title=x', '--no-warnings')
    const options = { execArgv: ['--title=x', '--no-warnings'], argv: ['a'] }
    expect(withoutProcessFlags(options, refusalOf(options))).toEqual({ execArgv: ['--no-warnings'], argv: ['a'] })
  })

  test('keeps a flag that only the caller gave: the fault is theirs', () => {
    startedWith('--no-warnings')
    const options = { execArgv: ['--title=x'] }
    expect(withoutProcessFlags(options, refusalOf(options))).toBeUndefined()
  })

  test('drops NODE_OPTIONS that were copied from the environment of the process', () => {
    const before = process.env.NODE_OPTIONS
    process.env.NODE_OPTIONS = '--title=x'
    onTestFinished(() => {
      if (before === undefined) delete process.env.NODE_OPTIONS
      else process.env.NODE_OPTIONS = before
    })
    const refusal = Object.assign(new Error('invalid NODE_OPTIONS env variable: --title=x'), {
      code: 'ERR_WORKER_INVALID_EXEC_ARGV',
    })
    const copied = { env: { NODE_OPTIONS: '--title=x', A: '1' } }
    expect(withoutProcessFlags(copied, refusal)).toEqual({ env: { A: '1' } })
    expect(withoutProcessFlags({ env: { NODE_OPTIONS: '--other', A: '1' } }, refusal)).toBeUndefined()
  })

  test('leaves other refusals alone', () => {
    expect(withoutProcessFlags({ execArgv: ['--x'] }, new TypeError('something else'))).toBeUndefined()
  })
})
