/** Exceptions that no promise chain catches, limits of memory, and what they do to the neighbours and the host. */

import { rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { caseTest, SLACK } from '../../support/case-host.js'
import { runHost } from '../../support/host-script.js'
import { errorOf, fixtureUrl, settledWithin, within } from '../../support/outcome.js'

const SECOND_MS = 1_000 * SLACK
const crashing = { module: fixtureUrl('crashing.mjs') }

const LATE_THROWS = [
  'throwInTimerIo',
  'throwInImmediate',
  'throwInMicrotask',
  'throwInNextTick',
  'throwAfterAwait',
  'rejectUnheard',
  'rejectUnheardIo',
  'rejectInAsyncCallback',
  'emitErrorUnheard',
  'throwStringLater',
  'throwUncloneableLater',
]

describe('an exception outside the promise chain', () => {
  caseTest('rejects its task with message and place', async ({ pool }) => {
    const error = await errorOf(SECOND_MS, pool().run('lateThrow'))
    expect(error.code).toBe('EVENKEEL_WORKER_EXIT')
    expect(error.message).toContain('late-boom')
    expect(error.stack).toContain('small-tasks.mjs')
    expect(error.cause).toMatchObject({ message: 'late-boom' })
  })

  for (const task of LATE_THROWS) {
    caseTest(`rejects its task: ${task}`, async ({ pool }) => {
      const one = pool(crashing)
      const error = await errorOf(SECOND_MS, one.run(task))
      expect(error).toMatchObject({ code: 'EVENKEEL_WORKER_EXIT', task })
      expect(error.message).toContain('late-boom')
      expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
    })
  }

  caseTest('rejects its task even when null is thrown', async ({ pool }) => {
    expect((await errorOf(SECOND_MS, pool(crashing).run('throwNullLater'))).code).toBe('EVENKEEL_WORKER_EXIT')
  })

  caseTest('fails a neighbour on the same thread only as a bystander, with another error', async ({ pool }) => {
    const one = pool({ ...crashing, ioWindow: 2 })
    const neighbour = errorOf(SECOND_MS, one.run('napIo', 400))
    await sleep(60)
    const crash = await errorOf(SECOND_MS, one.run('throwInTimerIo'))
    const lost = await neighbour
    expect(crash).toMatchObject({ code: 'EVENKEEL_WORKER_EXIT', retryable: false })
    expect(crash.message).toContain('late-boom')
    expect(lost).toMatchObject({ code: 'EVENKEEL_LOST_WITH_WORKER', retryable: true, task: 'napIo' })
    expect(lost).not.toBe(crash)
  })

  caseTest('in an I/O task spares neither a CPU neighbour nor blames it', async ({ pool }) => {
    const one = pool(crashing)
    const neighbour = errorOf(SECOND_MS, one.run('nap', 400))
    const crash = errorOf(SECOND_MS, one.run('throwInTimerIo'))
    expect(await crash).toMatchObject({ code: 'EVENKEEL_WORKER_EXIT', task: 'throwInTimerIo' })
    expect(await neighbour).toMatchObject({ code: 'EVENKEEL_LOST_WITH_WORKER', task: 'nap' })
  })

  caseTest('runs a neighbour again that allows it', async ({ pool }) => {
    const one = pool(crashing)
    const neighbour = one.run('napIo', 100, { retries: { times: 3, backoffMs: 1 } })
    expect((await errorOf(SECOND_MS, one.run('throwInTimerIo'))).message).toContain('late-boom')
    expect(await within(SECOND_MS, neighbour)).toBe(100)
  })

  caseTest('that the module swallows leaves thread and neighbours alone', async ({ pool }) => {
    const one = pool({ module: fixtureUrl('swallow-uncaught.mjs') })
    const before = await one.run('tid')
    const neighbour = one.run('napIo', 100)
    expect(await within(SECOND_MS, one.run('afterThrow', 5))).toBe('ok')
    expect(await within(SECOND_MS, neighbour)).toBe(100)
    expect(await one.run('tid')).toBe(before)
  })

  caseTest('after the answer belongs to nobody: the pool says it, and the host lives', async ({ pool }) => {
    const one = pool()
    const errors: unknown[] = []
    one.on('error', (error) => errors.push(error))
    expect(await within(SECOND_MS, one.run('afterThrow'))).toBe('ok')
    await sleep(200)
    expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatchObject({ message: 'after' })
  })

  caseTest('after the answer harms nobody when no one listens', async ({ pool }) => {
    const one = pool()
    expect(await within(SECOND_MS, one.run('afterThrow', 10))).toBe('ok')
    await sleep(100)
    expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
  })

  caseTest('after the answer fails the next task, if it was running, as a bystander', async ({ pool }) => {
    const one = pool()
    // Long enough that the nap is under way by then on a busy machine too.
    await within(SECOND_MS, one.run('afterThrow', 400))
    const lost = await errorOf(SECOND_MS, one.run('nap', 2_000))
    expect(lost).toMatchObject({ code: 'EVENKEEL_LOST_WITH_WORKER', retryable: true })
    expect(lost.message).toContain('after')
  })
})

caseTest('every way to lose a worker has a reason of its own, and none reaches the host', async ({ pool }) => {
  const one = pool()
  const exit = await errorOf(SECOND_MS, one.run('exit', 3))
  const thrown = await errorOf(SECOND_MS, one.run('lateThrow'))
  const stop = new AbortController()
  const endless = errorOf(SECOND_MS, one.run('forever', undefined, { signal: stop.signal }))
  await sleep(50)
  stop.abort(new Error('enough'))
  const aborted = await endless
  const late = await errorOf(SECOND_MS, one.run('forever', undefined, { runTimeoutMs: 50 }))
  expect([exit, thrown, aborted, late].map(({ code }) => code)).toEqual([
    'EVENKEEL_WORKER_EXIT',
    'EVENKEEL_WORKER_EXIT',
    'EVENKEEL_ABORTED',
    'EVENKEEL_TIMEOUT',
  ])
  expect(new Set([exit, thrown, aborted, late].map(({ message }) => message)).size).toBe(4)
  expect(aborted.cause).toMatchObject({ message: 'enough' })
})

describe('capacity', () => {
  caseTest(
    'is whole again after twenty timed-out endless tasks',
    async ({ pool }) => {
      const two = pool({ workers: 2, graceMs: 20 })
      const endless = Array.from({ length: 20 }, () => two.run('forever', undefined, { runTimeoutMs: 100 }))
      for (const reason of await settledWithin(25_000, endless))
        expect(reason).toMatchObject({ code: 'EVENKEEL_TIMEOUT' })
      // Both threads have booted when two naps overlap; only then is their time theirs alone.
      await within(SECOND_MS * 2, two.ready())
      const beganMs = performance.now()
      await settledWithin(SECOND_MS, [two.run('nap', 200), two.run('nap', 200)])
      expect(performance.now() - beganMs).toBeLessThan(300 * SLACK)
      expect(two.snapshot().workers.filter(({ threadId }) => threadId > 0)).toHaveLength(2)
    },
    60_000,
  )

  caseTest('is whole again after each kind of loss', async ({ pool }) => {
    const two = pool({ ...crashing, workers: 2 })
    await settledWithin(
      SECOND_MS * 4,
      ['exit', 'lateThrow', 'throwInImmediate', 'rejectUnheard'].map((task) => two.run(task, 1)),
    )
    await within(SECOND_MS * 4, two.ready())
    expect(two.snapshot().workers.map(({ state }) => state)).toEqual(['idle', 'idle'])
  })
})

describe('a module that fails to load once', () => {
  caseTest('fails the first task with the real message, and the next one runs', async ({ pool }) => {
    const flag = join(await mkdtemp(join(tmpdir(), 'evenkeel-')), 'flag')
    writeFileSync(flag, '')
    const one = pool({ module: fixtureUrl('throw-on-flag.mjs'), workerData: { flag } })
    const error = await errorOf(SECOND_MS, one.run('plus', 1))
    expect(error.code).toBe('EVENKEEL_MODULE_LOAD')
    expect(error.message).toContain('the flag is up')
    expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
    rmSync(join(flag, '..'), { recursive: true })
  })
})

describe('a thread at its memory limit', () => {
  const limited = { ...crashing, resourceLimits: { maxOldGenerationSizeMb: 64 } }

  for (const shape of ['slices', 'arrays']) {
    caseTest(`ends with its task alone: ${shape}`, async ({ pool }) => {
      const one = pool(limited)
      const error = await errorOf(20_000, one.run('grow', shape))
      expect(error).toMatchObject({ code: 'EVENKEEL_WORKER_EXIT', cause: { code: 'ERR_WORKER_OUT_OF_MEMORY' } })
      expect(await within(SECOND_MS * 2, one.run('plus', 1))).toBe(2)
    })
  }

  // One array that doubles, and in Node 24 a growing map, is more than V8 can end gracefully: it may abort the process.
  // Node's limits are best effort.
  test.each(['push', 'maps'])('ends with its task, or V8 ends the process, and nothing hangs: %s', async (shape) => {
    const host = await runHost(fixtureUrl('memory-host.mjs'), { args: [shape] })
    if (host.signal === 'SIGABRT' || host.exitCode === 134) expect(host.stderr).toContain('heap')
    else
      expect(host).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('"cause":"ERR_WORKER_OUT_OF_MEMORY","next":2'),
      })
  })

  caseTest('fails neighbours as bystanders, and other threads do not notice', async ({ pool }) => {
    const two = pool({ ...limited, workers: 2 })
    await within(SECOND_MS, two.ready())
    const neighbours = [two.run('napIo', 20_000), two.run('napIo', 20_000)].map((promise) =>
      promise.catch((error) => error),
    )
    const growing = await errorOf(20_000, two.run('growIo'))
    const others = Array.from({ length: 50 }, (_, i) => two.run('plus', i))
    expect(await settledWithin(SECOND_MS * 2, others)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1))
    expect(growing.cause).toMatchObject({ code: 'ERR_WORKER_OUT_OF_MEMORY' })
    // One of the two shared the thread.
    const lost = await within(SECOND_MS, Promise.race(neighbours))
    expect(lost).toMatchObject({ code: 'EVENKEEL_LOST_WITH_WORKER', retryable: true })
  })

  caseTest('is not reached by a stack that overflows: that is an error like any other', async ({ pool }) => {
    const one = pool(crashing)
    const before = await one.run('tid')
    expect(await errorOf(SECOND_MS, one.run('overflow'))).toMatchObject({ name: 'RangeError' })
    expect(await one.run('tid')).toBe(before)
  })
})

describe('a task that meddles with the thread', () => {
  caseTest('by closing its parent port does not cut off the pool', async ({ pool }) => {
    const one = pool(crashing)
    expect(await within(SECOND_MS, one.run('closeParentPort'))).toBe('closed')
    await sleep(50)
    expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
  })

  caseTest('by posting on its parent port does not confuse the pool', async ({ pool }) => {
    const one = pool(crashing)
    expect(await within(SECOND_MS, one.run('chatterOnParentPort'))).toBe('said')
    await sleep(20)
    expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
  })
})
