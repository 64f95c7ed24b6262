import { describe, expect, test } from 'vitest'
import { CLAIMED } from '../../src/board/claims.js'
import { RealThread } from './real-thread.js'

const echo = 'export const echo = (value) => value'

describe('a thread', () => {
  test('says hello once, loads its module, and answers', async () => {
    const real = await new RealThread(`${echo}\nexport const kinds = { echo: 'io' }`).loaded()
    expect(real.hellos).toHaveLength(1)
    expect(real.controls).toEqual([{ type: 'loaded', names: ['echo'], kinds: ['io'] }])
    expect(real.thread.threadId).toBeGreaterThan(0)
    real.run('echo', { deep: [1] })
    await real.settled(1)
    expect(real.answers).toEqual([{ deep: [1] }])
    expect(real.hellos).toHaveLength(1)
  })

  test('is not misled by what the module posts through parentPort', async () => {
    const real = await new RealThread(`
      import { parentPort } from 'node:worker_threads'
      parentPort.postMessage({ type: 'mine' })
      parentPort.postMessage(null)
      ${echo}`).loaded()
    expect(real.hellos).toHaveLength(1)
    real.run('echo', 1)
    await real.settled(1)
    expect(real.answers).toEqual([1])
  })

  test('takes a module from a path that needs care', async () => {
    const real = await new RealThread(echo, { fileName: 'odd name #1 100% ü?.mjs' }).loaded()
    expect(real.controls[0]).toMatchObject({ type: 'loaded' })
  })

  test('tells why the module cannot be loaded, and lives on until it is ended', async () => {
    const real = await new RealThread(`throw Object.assign(new RangeError('at import'), { code: 'E_MINE' })`).loaded()
    expect(real.controls[0]).toMatchObject({ type: 'loadFailed' })
    expect(real.exits).toEqual([])
  })

  test('tears down when it is told to stop', async () => {
    const real = await new RealThread(`${echo}
      export async function teardown() { await null; throw new Error('in teardown') }`).loaded()
    real.lane.tell({ type: 'stop' })
    await real.until(() => real.controls.length > 1)
    expect(real.controls[1]).toMatchObject({ type: 'stopped', error: expect.anything() })
  })
})

describe('options of the thread', () => {
  test('environment, arguments, flags and limits reach it, and the user finds their own workerData', async () => {
    const real = await new RealThread(
      `import { workerData, resourceLimits } from 'node:worker_threads'
       import threads from 'node:worker_threads'
       export const seen = () => [
         process.env.MINE, process.env.PATH, process.argv.slice(2), process.execArgv, resourceLimits.maxOldGenerationSizeMb,
         workerData, threads.workerData === workerData,
       ]`,
      {
        env: { MINE: 'yes' },
        argv: ['one', 'two'],
        execArgv: ['--no-warnings'],
        resourceLimits: { maxOldGenerationSizeMb: 96 },
        workerData: { of: 'the user' },
      },
    ).loaded()
    real.run('seen')
    await real.settled(1)
    expect(real.answers).toEqual([['yes', undefined, ['one', 'two'], ['--no-warnings'], 96, { of: 'the user' }, true]])
  })

  test('that are not set leave the thread as the process is', async () => {
    const real = await new RealThread(
      `import { workerData } from 'node:worker_threads'
       export const seen = () => [process.env.PATH, workerData, Object.keys(require.cache).filter((file) => /napi-rs/.test(file))]
       import { createRequire } from 'node:module'
       const require = createRequire(import.meta.url)`,
    ).loaded()
    real.run('seen')
    await real.settled(1)
    // Niceness was not asked for, so its native module was not loaded.
    expect(real.answers).toEqual([[process.env.PATH, undefined, []]])
  })
})

describe('the end of a thread', () => {
  test('by process.exit has its code and no error, and comes once, after its answers', async () => {
    const real = await new RealThread(`${echo}\nexport const leave = (code) => process.exit(code)`).loaded()
    real.run('echo', 'before')
    real.run('leave', 3)
    expect(await real.exited()).toEqual({ exitCode: 3 })
    expect(real.answers).toEqual(['before'])
    expect(real.thread.threadId).toBe(-1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(real.exits).toHaveLength(1)
  })

  test('by an exception has that exception', async () => {
    const real = await new RealThread(
      `export const fail = () => { setTimeout(() => { throw new RangeError('outside') }); return new Promise(() => {}) }`,
    ).loaded()
    real.run('fail')
    const cause = await real.exited()
    expect(cause.exitCode).toBe(1)
    expect(cause.error).toMatchObject({ name: 'RangeError', message: 'outside' })
  })

  test('by lack of memory says so, and leaves the running task claimed', async () => {
    const real = await new RealThread(
      `export const grow = () => { const all = []; for (;;) all.push(new Array(10_000).fill(all.length)) }`,
      // This shape Node reports; of others V8 aborts the whole process (nodejs/node#47224).
      { resourceLimits: { maxOldGenerationSizeMb: 64 } },
    ).loaded()
    const task = real.run('grow')
    expect((await real.exited()).error).toMatchObject({ code: 'ERR_WORKER_OUT_OF_MEMORY' })
    expect(real.lane.stateOf(task)).toBe(CLAIMED)
    expect(real.lane.row.culprit).toBe(0)
    expect(real.lane.runningTask).toBe(task)
  })

  test('by terminate comes in the middle of a loop too', async () => {
    const real = await new RealThread('export const spin = () => { for (;;); }').loaded()
    const task = real.run('spin')
    while (real.lane.runningTask !== task) await new Promise((resolve) => setTimeout(resolve, 1))
    real.thread.terminate()
    expect(await real.exited()).toEqual({ exitCode: 1 })
    expect(real.lane.runningTask).toBe(task)
    real.thread.terminate()
  })

  test('while it loads comes after the hello, with the code', async () => {
    const real = new RealThread('process.exit(7)')
    expect(await real.exited()).toEqual({ exitCode: 7 })
    expect(real.hellos).toHaveLength(1)
  })
})

test('the time of its loop is told without its help: busy while it spins', async () => {
  const real = await new RealThread(
    `${echo}\nexport const spin = (ms) => { const end = Date.now() + ms; while (Date.now() < end); }`,
  ).loaded()
  const before = real.thread.loopTime()
  real.run('spin', 150)
  await real.settled(1)
  const after = real.thread.loopTime()
  expect(after.active - before.active).toBeGreaterThan(100)
})
