/** Flags, environment and size of the host, and what its threads see of them. */

import { existsSync } from 'node:fs'
import { SHARE_ENV, setEnvironmentData } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { Dispatcher } from '../../../src/index.js'
import { caseTest, SLACK } from '../../support/case-host.js'
import { type HostOptions, runHost } from '../../support/host-script.js'
import { errorOf, fixtureUrl, within } from '../../support/outcome.js'

const SECOND_MS = 1_000 * SLACK
const module = fixtureUrl('environment.mjs')

async function report(options: object, host: HostOptions) {
  const { stdout, stderr } = await runHost(fixtureUrl('flags-host.mjs'), { ...host, args: [JSON.stringify(options)] })
  expect(stdout, stderr).not.toBe('')
  return JSON.parse(stdout) as { size: number; answer?: number; seen?: string; error?: string; faults: string[] }
}

describe('a host with flags that are the process’s alone', () => {
  const execArgv = ['--expose-gc', '--title=foo', '--max-old-space-size=200', '--stack-trace-limit=20']
  const NODE_OPTIONS = '--max-old-space-size=300 --max-http-header-size=20000 --title=bar'
  const hosts: readonly HostOptions[] = [{ execArgv }, { env: { NODE_OPTIONS } }, { execArgv, env: { NODE_OPTIONS } }]

  for (const options of [{}, { copyEnv: true }, { copyExecArgv: true }, { copyEnv: true, copyExecArgv: true }]) {
    for (const [i, host] of hosts.entries()) {
      test.concurrent(`starts its threads: ${['flags', 'NODE_OPTIONS', 'both'][i]}, ${JSON.stringify(options)}`, async () => {
        expect(await report(options, host)).toMatchObject({ answer: 2, faults: [] })
      })
    }
  }

  test('and a flag that no thread takes is refused or dropped, never a hang', async () => {
    const { answer, error, faults } = await report({ execArgv: ['--no-such-flag'] }, {})
    expect(faults).toEqual([])
    if (answer !== 2) expect(error).toMatch(/no-such-flag/)
  })
})

describe('the threads’ surroundings', () => {
  caseTest('are the host’s unless others are given', async ({ pool }) => {
    process.env.EVENKEEL_TEST = 'inherited'
    expect(await pool({ module }).run('environment', 'EVENKEEL_TEST')).toBe('inherited')
    const own = pool({ module, env: { EVENKEEL_TEST: 'own' }, argv: ['--a', 'b'], workerData: { n: 1 } })
    expect(await own.run('environment', 'EVENKEEL_TEST')).toBe('own')
    expect(await own.run('argv')).toEqual(['--a', 'b'])
    expect(await own.run('data')).toEqual({ n: 1 })
    delete process.env.EVENKEEL_TEST
  })

  caseTest('may be shared with the host, and are else their own', async ({ pool }) => {
    const change = { name: 'EVENKEEL_TEST', value: 'from the thread' }
    await pool({ module }).run('setEnvironment', change)
    expect(process.env.EVENKEEL_TEST).toBe(undefined)
    await pool({ module, env: SHARE_ENV }).run('setEnvironment', change)
    expect(process.env.EVENKEEL_TEST).toBe('from the thread')
    delete process.env.EVENKEEL_TEST
  })

  caseTest('hold the worker data that was given, also when it is nothing', async ({ pool }) => {
    setEnvironmentData('unrelated', 1)
    for (const workerData of [undefined, null, 0, 'text', new Map([[1, 2]])]) {
      expect(await pool({ module, workerData }).run('data')).toEqual(workerData)
    }
  })

  caseTest('have the memory limits that were asked for', async ({ pool }) => {
    const limits = await pool({ module, resourceLimits: { maxOldGenerationSizeMb: 77 } }).run('limits')
    expect(limits).toMatchObject({ maxOldGenerationSizeMb: 77 })
  })

  test('are refused when they are none', () => {
    const wrong: readonly [string, unknown][] = [
      ['env', 5],
      ['argv', 'a b'],
      ['execArgv', [1]],
      ['resourceLimits', 64],
      ['niceIncrement', 1.5],
      ['trackUnmanagedFds', 'yes'],
    ]
    for (const [option, value] of wrong) {
      expect(() => new Dispatcher({ module, workers: 1, [option]: value })).toThrow(new RegExp(`^${option}`))
    }
  })

  test('cannot be set through a polluted prototype', async () => {
    const polluted = Object.prototype as Record<string, unknown>
    Object.assign(polluted, { workers: 7, execArgv: ['--no-such-flag'], env: { EVENKEEL_TEST: 'polluted' } })
    try {
      const pool = new Dispatcher({ module, workers: 1 })
      expect(pool.snapshot().workers).toHaveLength(1)
      expect(await within(SECOND_MS, pool.run('environment', 'EVENKEEL_TEST'))).toBe(undefined)
      await pool.close()
    } finally {
      for (const name of ['workers', 'execArgv', 'env']) delete polluted[name]
    }
  })
})

describe('the default size', () => {
  test.runIf(existsSync('/usr/bin/taskset'))('is one on one processor, and works', async () => {
    const one = await report({ defaultSize: true }, { under: ['taskset', '-c', '0'] })
    expect(one).toMatchObject({ size: 1, answer: 2 })
  })

  caseTest('is whole, at least one, and at most what the machine has', async ({ pool }) => {
    const { availableParallelism } = await import('node:os')
    const { length } = pool({ workers: undefined }).snapshot().workers
    expect(length).toBeGreaterThanOrEqual(1)
    expect(length).toBeLessThanOrEqual(availableParallelism())
  })
})

describe('a number that is none is refused by name', () => {
  const options = [
    'window',
    'ioWindow',
    'maxQueue',
    'stallMs',
    'stallUnknownMs',
    'stallKillMs',
    'graceMs',
    'ageMs',
    'idleMs',
    'closeTimeoutMs',
    'maxTasksPerWorker',
    'maxHeapBytes',
  ]

  for (const option of options) {
    test(option, () => {
      for (const value of [-1, Number.NaN, '2', null, true, {}]) {
        const make = () => new Dispatcher({ module, workers: 1, [option]: value })
        expect(make).toThrow(new RegExp(`^${option}: `))
        expect(make).toThrow(expect.objectContaining({ code: 'EVENKEEL_INVALID_OPTION' }))
      }
    })
  }

  test('and so are options that do not exist', () => {
    for (const option of ['size', 'threads', 'maxThreads', 'worker', 'Workers']) {
      expect(() => new Dispatcher({ module, [option]: 1 } as never)).toThrow(new RegExp(option))
    }
  })
})

caseTest('a thread that cannot be made rejects its tasks, and hangs nobody', async ({ brokenPool }) => {
  const one = brokenPool({ execArgv: ['--no-such-flag'] })
  expect((await errorOf(SECOND_MS, one.run('plus', 1))).message).toMatch(/no-such-flag/)
  await within(SECOND_MS, one.close())
})
