import { describe, expect, test } from 'vitest'
import { EvenkeelError } from '../../src/base/errors.js'
import { StretchMemory, stretchMemoryBytes } from '../../src/base/record-stretch.js'
import type { StretchAnswer } from '../../src/base/record-transfer.js'
import { StretchFlow } from '../../src/batch/stretch-flow.js'
import { loneRecord } from './scratch-folder.js'

function flowOf(slots = 2) {
  const memory = new StretchMemory(new SharedArrayBuffer(stretchMemoryBytes(slots)))
  const log: string[] = []
  const sent: { slot: number; resolve: (answer: StretchAnswer) => void; reject: (error: unknown) => void }[] = []
  const flow = new StretchFlow(
    memory,
    (slot) => new Promise((resolve, reject) => void sent.push({ slot, resolve, reject })),
    {
      answered: (record, answer) => log.push(`${record.seq} ${typeof answer === 'string' ? answer : answer.fault}`),
      failed: (record, error) => log.push(`${record.seq} failed ${(error as EvenkeelError).code}`),
      startAlone: (record) => log.push(`${record.seq} alone`),
    },
  )
  /** What the worker does: records 0 to count - 1 give their number. */
  const work = (slot: number, count: number, from = 0): void => {
    for (let index = from; index < count; index++) {
      memory.write(slot, index, `r${index}`)
      memory.pass(slot, index)
    }
  }
  const records = (count: number) => Array.from({ length: count }, (_, seq) => loneRecord(seq))
  const turn = () => new Promise((done) => setImmediate(done))
  return { flow, log, sent, work, records, memory, turn }
}

describe('a stretch', () => {
  test('gives each record its line or its note', async () => {
    const { flow, log, sent, work, records, memory, turn } = flowOf()
    expect(flow.start(records(4))).toBe(true)
    work(sent[0]!.slot, 2)
    memory.write(sent[0]!.slot, 2, undefined)
    memory.pass(sent[0]!.slot, 2)
    work(sent[0]!.slot, 4, 3)
    sent[0]!.resolve([[2, { fault: 'json' }]])
    await turn()
    expect(log).toEqual(['0 r0', '1 r1', '2 json', '3 r3'])
  })

  test('waits for a free slot', async () => {
    const { flow, sent, records, work, turn } = flowOf(1)
    expect(flow.start(records(1))).toBe(true)
    expect(flow.start(records(1))).toBe(false)
    work(sent[0]!.slot, 1)
    sent[0]!.resolve(0)
    await turn()
    expect(flow.start(records(1))).toBe(true)
  })

  test('that is stuck keeps only the record that runs; every record settles once', async () => {
    const { flow, log, sent, work, records, memory, turn } = flowOf()
    flow.start(records(5))
    const { slot, resolve } = sent[0]!
    work(slot, 2)
    flow.check()
    expect(log).toEqual([])
    flow.check()
    expect(log).toEqual(['3 alone', '4 alone', '0 r0', '1 r1'])
    flow.check()
    memory.write(slot, 2, 'late')
    expect(memory.pass(slot, 2)).toBe(false)
    resolve(0)
    await turn()
    expect(log).toEqual(['3 alone', '4 alone', '0 r0', '1 r1', '2 late'])
  })

  test('that moves is left alone', () => {
    const { flow, log, sent, work, records } = flowOf()
    flow.start(records(5))
    for (let done = 0; done < 5; done++) {
      work(sent[0]!.slot, done + 1, done)
      flow.check()
    }
    expect(log).toEqual([])
  })

  test('whose worker is lost blames the record that ran and sends the rest again', async () => {
    const { flow, log, sent, work, records, memory, turn } = flowOf()
    flow.start(records(5))
    const { slot, reject } = sent[0]!
    work(slot, 1)
    memory.write(slot, 1, undefined)
    memory.pass(slot, 1)
    reject(new EvenkeelError('EVENKEEL_WORKER_EXIT', 'x'))
    await turn()
    expect(log).toEqual([
      '0 r0',
      '1 failed EVENKEEL_LOST_WITH_WORKER',
      '2 failed EVENKEEL_WORKER_EXIT',
      '3 alone',
      '4 alone',
    ])
  })

  test('that the module cannot run shows so, and all its records go alone', async () => {
    const { flow, log, sent, records, turn } = flowOf()
    flow.start(records(2))
    sent[0]!.reject(new EvenkeelError('EVENKEEL_UNKNOWN_TASK', 'x'))
    await turn()
    expect(log).toEqual(['0 alone', '1 alone'])
    expect(flow.isUsable).toBe(false)
  })
})
