import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.js'
import { EvenkeelError } from '../../../src/base/errors.js'
import { RecordFlow } from '../../../src/batch/flow/record-flow.js'
import type { RecordRunner, TaskLimits } from '../../../src/batch/flow/record-runner.js'
import { RetryPolicy } from '../../../src/batch/flow/retry-policy.js'
import { RunTimes } from '../../../src/batch/flow/run-times.js'
import { OpenSpan } from '../../../src/batch/flow/spans.js'
import { DelimitedReader, PLAIN_LINES } from '../../../src/batch/input/delimited-reader.js'
import type { BadRecordPolicy } from '../../../src/batch/options/map-options.js'
import { InputRecord } from '../../../src/batch/records/record.js'
import { RecordArena } from '../../../src/batch/records/record-arena.js'
import { StretchSlots } from '../../../src/batch/records/stretch-slots.js'
import type { RecordAnswer, StretchAnswer, StretchPayload } from '../../../src/records/record-transfer.js'
import { StretchMemory, stretchMemoryBytes } from '../../../src/records/stretch-memory.js'
import { loneRecord, memorySource, settledInto } from '../scratch-folder.js'

interface Setting {
  run: (record: InputRecord, limits: TaskLimits | undefined) => Promise<RecordAnswer>
  badRecords?: BadRecordPolicy
  retries?: number
  timeout?: { ms?: number; medians?: number }
  keysChooseWorker?: boolean
  grouped?: boolean
}

function flowOf(setting: Setting) {
  const { run, badRecords = 'error', retries = 0, timeout, keysChooseWorker = false, grouped = false } = setting
  const log: string[] = []
  const counts = { ok: 0, failed: 0, skipped: 0, retried: 0, unfinished: 0, resumed: 0 }
  const runner: RecordRunner = {
    run,
    runGroup: (records, limits) => {
      if (grouped) log.push(`group of ${records.map(({ seq }) => seq)}`)
      return Promise.all(records.map((record) => run(record, limits)))
    },
  }
  let settled: () => void = () => undefined
  const flow = new RecordFlow(
    {
      runner,
      arena: new RecordArena(1),
      retries: new RetryPolicy({ times: retries, delayMs: 1, factor: 1, jitter: 0 }, () => 0.5),
      badRecords,
      timeout,
      keysChooseWorker,
      grouped,
      separator: 10,
      runTimes: new RunTimes(),
      stretches: undefined,
      counts,
      clock: systemClock,
      listener: {
        failed: (record, error) => log.push(`${record.seq} failed ${error.message}`),
        retried: (record) => log.push(`${record.seq} again`),
        warned: (kind, record) => log.push(`${record.seq} ${kind}`),
        foundBad: (record) => log.push(`${record.seq} bad`),
        workersFailed: () => log.push('workers failed'),
        settled: () => settled(),
      },
    },
    new OpenSpan(
      { input: 0, offset: 0, records: 0 },
      settledInto((record, outcome) => log.push(`${record.seq} ${outcome.type}`)),
    ),
  )
  const idle = async (): Promise<void> => {
    while (flow.inFlight > 0)
      await new Promise<void>((resolve) => {
        settled = resolve
      })
  }
  return { flow, log, counts, idle }
}

describe('records under way', () => {
  test('that came in a group are tried again as groups of one, for that is what their task takes', async () => {
    const tried = new Set<InputRecord>()
    const { flow, log, idle } = flowOf({
      grouped: true,
      retries: 1,
      run: async (record) => {
        if (record.seq === 0 || tried.has(record)) return 'fine'
        tried.add(record)
        return { error: { name: 'Error', message: 'first time' } }
      },
    })
    const records = [loneRecord(0), loneRecord(1)]
    flow.startTogether(records)
    await idle()
    expect(log).toEqual(['group of 0,1', '0 ok', '1 again', 'group of 1', '1 ok'])
  })

  test('settle with what their task answers', async () => {
    const { flow, log, counts, idle } = flowOf({
      run: async ({ seq }) => {
        if (seq === 1) throw new Error('no')
        return seq === 2 ? { line: 'x', warning: 'number' } : 'x'
      },
    })
    for (const seq of [0, 1, 2]) flow.start(loneRecord(seq))
    expect(flow.inFlight).toBe(3)
    await idle()
    expect(log.sort()).toEqual(['0 ok', '1 failed', '1 failed no', '2 number', '2 ok'])
    expect(counts).toMatchObject({ ok: 2, failed: 1 })
  })

  test('that are bad go the way of the policy', async () => {
    for (const [badRecords, expected] of [
      ['error', ['0 failed', '0 failed broken']],
      ['skip', ['0 skipped']],
      ['fail', ['0 bad', '0 failed', '0 failed broken']],
    ] as const) {
      const { flow, log, idle } = flowOf({ run: async () => ({ fault: 'json', message: 'broken' }), badRecords })
      flow.start(loneRecord(0))
      await idle()
      expect(log.sort()).toEqual(expected)
    }
    const { flow, log, idle } = flowOf({ run: async () => 'never called' })
    flow.start(new InputRecord(undefined, 0, 1, 0, 1, 'too long'))
    await idle()
    expect(log).toContain('0 failed too long')
  })

  test('are tried again, and count as under way while they wait', async () => {
    let calls = 0
    const { flow, log, counts, idle } = flowOf({
      run: async () => {
        calls++
        if (calls < 3) throw new Error('no')
        return 'x'
      },
      retries: 2,
    })
    flow.start(loneRecord(0))
    await idle()
    expect(log).toEqual(['0 again', '0 again', '0 ok'])
    expect(counts.retried).toBe(2)
  })

  test("of a group settle one by one; a failure of the whole is each one's", async () => {
    const good = flowOf({ run: async ({ seq }) => (seq === 1 ? { error: { name: 'E', message: 'one' } } : 'x') })
    good.flow.startTogether([loneRecord(0), loneRecord(1)])
    await good.idle()
    expect(good.counts).toMatchObject({ ok: 1, failed: 1 })
    const bad = flowOf({ run: async () => Promise.reject(new Error('all')) })
    bad.flow.startTogether([loneRecord(0), loneRecord(1)])
    await bad.idle()
    expect(bad.counts.failed).toBe(2)
  })

  test('stay unfinished when they are aborted, also those that wait for another try', async () => {
    const { flow, counts, log, idle } = flowOf({
      run: ({ seq }, limits) =>
        seq === 0
          ? new Promise((_, reject) => {
              limits?.signal?.addEventListener('abort', () => reject(new EvenkeelError('EVENKEEL_ABORTED', 'x')))
            })
          : Promise.reject(new Error('later')),
      retries: 1_000_000,
    })
    flow.start(loneRecord(0))
    flow.start(loneRecord(1))
    while (counts.retried < 3) await new Promise((done) => setTimeout(done, 1))
    flow.abort()
    await idle()
    expect(counts).toMatchObject({ unfinished: 2, failed: 0 })
    expect(log.slice(-2).sort()).toEqual(['0 unfinished', '1 unfinished'])
  })

  test('get their time limit, absolute or by the median once that is known', async () => {
    const limits: (number | undefined)[] = []
    const run = async (_record: InputRecord, given: TaskLimits | undefined): Promise<RecordAnswer> => {
      limits.push(given?.runTimeoutMs)
      return { line: 'x', runMs: 10 }
    }
    const absolute = flowOf({ run, timeout: { ms: 70 } })
    absolute.flow.start(loneRecord(0))
    await absolute.idle()
    const relative = flowOf({ run, timeout: { medians: 2 } })
    for (let seq = 0; seq < 11; seq++) {
      relative.flow.start(loneRecord(seq))
      await relative.idle()
    }
    expect(limits.slice(0, 11)).toEqual([70, ...new Array(10).fill(undefined)])
    expect(limits[11]).toBeGreaterThan(19)
    expect(limits[11]).toBeLessThan(21)
  })

  test('choose their worker by key only when asked', async () => {
    const keys: unknown[] = []
    for (const keysChooseWorker of [false, true]) {
      const { flow, idle } = flowOf({
        keysChooseWorker,
        run: async (_record, given) => {
          keys.push(given?.key)
          return 'x'
        },
      })
      const record = loneRecord(0)
      record.key = 'k'
      flow.start(record)
      await idle()
    }
    expect(keys).toEqual([undefined, 'k'])
  })

  test.each(['EVENKEEL_MODULE_LOAD', 'EVENKEEL_UNKNOWN_TASK', 'EVENKEEL_CLOSED'] as const)(
    'stay unfinished when the workers cannot run any (%s)',
    async (code) => {
      const { flow, log, idle } = flowOf({ run: async () => Promise.reject(new EvenkeelError(code, 'no')), retries: 3 })
      flow.start(loneRecord(0))
      await idle()
      expect(log).toEqual(['workers failed', '0 unfinished'])
    },
  )

  test('of a whole stretch are counted, written and given up as one', async () => {
    const memory = new StretchMemory(new SharedArrayBuffer(stretchMemoryBytes(2)), 10)
    const arena = new RecordArena(1)
    const counts = { ok: 0, failed: 0, skipped: 0, retried: 0, unfinished: 0, resumed: 0 }
    const log: string[] = []
    const runStretch = async ([slot, count]: StretchPayload): Promise<StretchAnswer> => {
      for (let index = 0; index < count; index++) {
        const isPlain = index > 0 || memory.textEnd(slot, 0) === 1
        memory.write(slot, index, isPlain ? `line ${index}` : undefined)
        memory.pass(slot, index)
      }
      return memory.textEnd(slot, 0) === 1 ? 0 : [[0, { error: { name: 'E', message: 'no' } }]]
    }
    const runner: RecordRunner = { run: async () => 'alone', runGroup: async () => [], runStretch }
    const span = new OpenSpan(
      { input: 0, offset: 0, records: 0 },
      {
        pass: (record, outcome) => {
          const { seq, count } = record
          const isWhole = outcome.type === 'ok' && typeof outcome.result !== 'string'
          log.push(isWhole ? `${seq}+${count} ${outcome.result.toString()}` : `${seq} ${outcome.type}`)
          arena.release(record)
        },
      },
    )
    let woken = 0
    const flow = new RecordFlow(
      {
        runner,
        arena,
        retries: new RetryPolicy({ times: 0, delayMs: 1, factor: 1, jitter: 0 }, () => 0.5),
        badRecords: 'error',
        timeout: undefined,
        keysChooseWorker: false,
        grouped: false,
        separator: 10,
        runTimes: new RunTimes(),
        stretches: new StretchSlots(memory).join(),
        counts,
        clock: systemClock,
        listener: {
          failed: ({ seq, line }) => log.push(`${seq} failed in line ${line}`),
          retried: () => undefined,
          warned: () => undefined,
          foundBad: () => undefined,
          workersFailed: () => undefined,
          settled: () => {
            woken++
          },
        },
      },
      span,
    )
    const reader = new DelimitedReader(arena, [memorySource('1\n2\n3\n44\n5\n')], PLAIN_LINES, 100)
    await reader.advance()
    expect(flow.next(reader, 3, 0)).toMatchObject({ count: 3, attempts: 1 })
    expect(flow.next(reader, 9, 3)).toMatchObject({ count: 2, attempts: 1 })
    expect(flow.next(reader, 9, 5)).toBeUndefined()
    expect(flow.inFlight).toBe(5)
    while (flow.inFlight > 0) await new Promise((done) => setImmediate(done))
    expect(log).toEqual(['0+3 line 0\nline 1\nline 2\n', '3 failed in line 4', '3 failed', '4 ok'])
    expect([counts.ok, counts.failed, woken, span.size]).toEqual([4, 1, 3, 0])
    await reader.close()
    expect(arena.freeBlocks).toBe(1)
  })
})
