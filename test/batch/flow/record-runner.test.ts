import { expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.js'
import { SharedRecordRunner, type TaskRunner, ValueRecordRunner } from '../../../src/batch/flow/record-runner.js'
import { RecordArena } from '../../../src/batch/records/record-arena.js'
import { placedRecord } from '../scratch-folder.js'

function runner(run: (value: never) => unknown, arena: RecordArena, timed = false): ValueRecordRunner {
  const tasks: TaskRunner = { run: async (_name, payload) => run(payload as never) }
  return new ValueRecordRunner(tasks, arena, {
    task: 't',
    decoding: 'json',
    encoding: 'json',
    timed,
    clock: systemClock,
  })
}

test('values go over, results come back as lines', async () => {
  const arena = new RecordArena(4)
  const record = await placedRecord(arena, '{"a":1}')
  expect(await runner(({ a }: { a: number }) => [a], arena).run(record, {})).toBe('[1]')
  expect(await runner(() => undefined, arena).run(record, {})).toBe('null')
  expect(await runner(() => 1, arena, true).run(record, {})).toEqual({ line: '1', runMs: expect.any(Number) })
})

test('bad records and lossy numbers are told apart from failures', async () => {
  const arena = new RecordArena(4)
  const echo = runner((value) => value, arena)
  expect(await echo.run(await placedRecord(arena, '{'), {})).toMatchObject({ fault: 'json' })
  expect(await echo.run(await placedRecord(arena, '12345678901234567890'), {})).toMatchObject({
    warning: 'number',
  })
  const failing = runner(() => {
    throw new RangeError('no')
  }, arena)
  await expect(failing.run(await placedRecord(arena, '1'), {})).rejects.toThrow('no')
})

test('a group answers for each of its records', async () => {
  const arena = new RecordArena(8)
  const records = [await placedRecord(arena, '1'), await placedRecord(arena, '{'), await placedRecord(arena, '3')]
  const mixed = runner(
    (values: number[]) => values.map((value) => (value === 3 ? new TypeError('three') : value)),
    arena,
  )
  expect(await mixed.runGroup(records, {})).toEqual([
    '1',
    expect.objectContaining({ fault: 'json' }),
    { error: { name: 'TypeError', message: 'three', stack: expect.stringContaining('record-runner.test') } },
  ])
  await expect(runner(() => [1], arena).runGroup(records, {})).rejects.toThrow('array of 2 results')
  expect(await runner(() => [1n, 2], arena).runGroup(records, {})).toMatchObject([
    { error: { name: 'TypeError', message: expect.stringContaining('BigInt') } },
    { fault: 'json' },
    '2',
  ])
  expect(await runner(() => [1], arena).runGroup([records[1]!], {})).toMatchObject([{ fault: 'json' }])
})

test('for shared text only the place goes over', async () => {
  const arena = new RecordArena(4)
  const record = await placedRecord(arena, '1')
  const calls: unknown[] = []
  const tasks: TaskRunner = { run: async (...call) => calls.push(call) }
  const shared = new SharedRecordRunner(tasks, (error) => error)
  const limits = { runTimeoutMs: 5 }
  await shared.run(record, limits)
  await shared.runGroup([record, record], limits)
  await shared.runStretch([1, 2, 3], limits)
  expect(calls).toEqual([
    ['map', record.place, limits],
    ['mapGroup', [record.place, record.place], limits],
    ['mapStretch', [1, 2, 3], limits],
  ])
})
