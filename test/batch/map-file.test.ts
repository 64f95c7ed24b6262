import { open } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { TaskRunner } from '../../src/batch/flow/record-runner.js'
import { mapFile } from '../../src/batch/map-file.js'
import type { BatchSummary } from '../../src/batch/options/batch-progress.js'
import type { MapFileOptions } from '../../src/batch/options/map-options.js'
import { Dispatcher } from '../../src/dispatcher/dispatcher.js'
import { CUT_VARIANTS, cutAndResume } from './cut-and-resume.js'
import { fuzzInput, fuzzPools } from './input-fuzz.js'
import { localTasks } from './local-tasks.js'
import { scratchFolder } from './scratch-folder.js'

async function run(options: MapFileOptions, tasks = localTasks()): Promise<BatchSummary> {
  return (await mapFile(tasks, { task: 'lenient', ...options })).done
}

const LINES = Array.from({ length: 6 }, (_, i) => `{"i":${i}}\n`).join('')
const RESULT = LINES

describe('mapFile', () => {
  test('maps a file with a dispatcher of the app and tells what became of it', async () => {
    const folder = scratchFolder()
    const input = folder.write('in', LINES.replace('3}', '3,"fail":true}'))
    const batch = await mapFile(localTasks(), { task: 'strict', in: input, out: folder.path('out') })
    const failures: unknown[] = []
    batch.on('failure', (failure) => failures.push(failure))
    const summary = await batch.done
    expect(summary).toMatchObject({ ok: 5, failed: 1, stopped: undefined })
    expect(failures).toEqual([
      {
        input,
        line: 4,
        offset: 24,
        attempts: 1,
        error: expect.objectContaining({ name: 'RangeError', message: 'no 3' }),
      },
    ])
    expect(folder.read('out')).toBe(RESULT.replace('{"i":3}\n', ''))
    expect(batch.progress()).toMatchObject({ ok: 5, failed: 1, posted: 0 })
  })

  test('a run whose errors cannot be written leaves alone the files that get its descriptors', async () => {
    const folder = scratchFolder()
    const input = folder.write('in', LINES.replace('3}', '3,"fail":true}').repeat(2000))
    const out = folder.path('out')
    const batch = await mapFile(localTasks(), { task: 'strict', in: input, out, errors: '/dev/full' })
    expect((await batch.done).stopped).toMatchObject({ type: 'output' })
    const names = ['a', 'b', 'c', 'd']
    const files = await Promise.all(names.map((name) => open(folder.path(name), 'w')))
    await new Promise((done) => setTimeout(done, 30))
    expect(names.map((name) => folder.read(name))).toEqual(['', '', '', ''])
    for (const file of files) await file.close()
  })

  test('can be stopped; what was not started is not in the output', async () => {
    const folder = scratchFolder()
    const input = folder.write('in', LINES.repeat(1000))
    const batch = await mapFile(localTasks(), { task: 'lenient', in: input, out: folder.path('out') })
    setImmediate(() => batch.stop('soon'))
    const summary = await batch.done
    expect(summary.stopped).toMatchObject({ type: 'request' })
    expect(summary.ok).toBeLessThan(6000)
    expect(folder.read('out').split('\n')).toHaveLength(summary.ok + 1)
  })

  test('refuses wrong options before it touches anything', async () => {
    const folder = scratchFolder()
    const input = folder.write('in', LINES)
    const out = folder.path('out')
    const given = { in: input, out }
    await expect(run({ ...given, orderSpan: 0.5 })).rejects.toMatchObject({
      code: 'EVENKEEL_INVALID_OPTION',
      option: 'orderSpan',
    })
    await expect(run({ ...given, colour: 'red' } as never)).rejects.toMatchObject({ option: 'colour' })
    await expect(run({ ...given, out: input })).rejects.toThrow('named twice: as an input and as the output')
    for (const twice of [{ journal: input }, { journal: out }, { errors: input }, { errors: `${out}.journal` }]) {
      await expect(run({ ...given, ...twice, force: true })).rejects.toThrow('named twice')
    }
    const errors = folder.path('no/errors')
    await expect(run({ ...given, errors })).rejects.toMatchObject({ code: 'EVENKEEL_BATCH_OUTPUT' })
    await expect(run({ ...given, resume: 'unfinished', journal: false })).rejects.toThrow('journal')
    await expect(run({ ...given, in: folder.path('nothing') })).rejects.toMatchObject({ code: 'EVENKEEL_BATCH_INPUT' })
    expect(() => folder.read('out')).toThrow('ENOENT')
    expect(folder.read('in')).toBe(LINES)
  })

  test('needs no end of the input to write, and no more than its span in order', async () => {
    const folder = scratchFolder()
    const input = folder.write('in', LINES.repeat(20))
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const calls: unknown[] = []
    const tasks: TaskRunner = {
      async run(_name, payload) {
        calls.push(payload)
        if (calls.length === 1) await held
        return payload
      },
    }
    const batch = await mapFile(tasks, { task: 'any', in: input, out: folder.path('out'), orderSpan: 16 })
    await new Promise((done) => setTimeout(done, 100))
    expect(calls.length).toBeLessThanOrEqual(16)
    release()
    expect((await batch.done).ok).toBe(120)
    expect(folder.read('out')).toBe(LINES.repeat(20))
  })
})

describe('mapFile with a real dispatcher', () => {
  test('runs the task of the app, fails single records and leaves the dispatcher open', async () => {
    const folder = scratchFolder()
    const module = folder.write(
      'tasks.mjs',
      'export const half = (n) => { if (n % 2) throw new Error("odd"); return n / 2 }',
    )
    const pool = new Dispatcher<{ half(n: number): number }>({ module, workers: 2 })
    try {
      const input = folder.write('in', '2\n3\n4\n{bad\n')
      const summary = await (await mapFile(pool, { task: 'half', in: input, out: folder.path('out') })).done
      expect(summary).toMatchObject({ ok: 2, failed: 2 })
      expect(folder.read('out')).toBe('1\n2\n')
      expect(await pool.run('half', 8)).toBe(4)
    } finally {
      await pool.close()
    }
  })

  test('stops what runs through a signal, so that it stays unfinished', async () => {
    const folder = scratchFolder()
    const module = folder.write('tasks.mjs', 'export const wait = (ms) => new Promise((done) => setTimeout(done, ms))')
    const pool = new Dispatcher({ module, workers: 1 })
    try {
      const input = folder.write('in', '0\n60000\n0\n')
      const run = await mapFile(pool, { task: 'wait', in: input, out: folder.path('out') })
      while (run.progress().ok < 1) await new Promise((done) => setTimeout(done, 5))
      run.stop('now')
      const summary = await run.done
      expect(summary).toMatchObject({ ok: 1, failed: 0, stopped: { type: 'request' } })
      expect(summary.unfinished).toBeGreaterThan(0)
    } finally {
      await pool.close({ force: true })
    }
  })
})

describe('output and journal cut at every seventh byte', () => {
  for (const [name, more] of CUT_VARIANTS) {
    test(`${name}: resumed, every record is there exactly once`, () => cutAndResume(more, 7), 60_000)
  }
})

test('every record of any input is passed, counted as bad, or the run ends with the cause', {
  timeout: 60_000,
}, async () => {
  const folder = scratchFolder()
  const pools = fuzzPools()
  for (let seed = 0; seed < 150; seed++) await fuzzInput(seed, pools, folder)
})
