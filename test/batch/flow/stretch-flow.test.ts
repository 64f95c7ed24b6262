import { describe, expect, test } from 'vitest'
import { EvenkeelError } from '../../../src/base/errors.js'
import { StretchFlow } from '../../../src/batch/flow/stretch-flow.js'
import { InputRecord, type RecordReader, splitStretch } from '../../../src/batch/records/record.js'
import { RecordArena } from '../../../src/batch/records/record-arena.js'
import { StretchSlots } from '../../../src/batch/records/stretch-slots.js'
import type { StretchAnswer } from '../../../src/records/record-transfer.js'
import { StretchMemory, stretchMemoryBytes } from '../../../src/records/stretch-memory.js'

function placedRecord(seq: number): InputRecord {
  const record = new InputRecord(0, 0, seq + 1, seq * 10, seq * 10 + 10, undefined)
  record.seq = seq
  return record
}

function readerOf(next: RecordReader['next']): RecordReader {
  return { next, advance: async () => false, bytesRead: 0, close: async () => undefined }
}

function flowOf(count = 2) {
  const memory = new StretchMemory(new SharedArrayBuffer(stretchMemoryBytes(count)), 10)
  const slots = new StretchSlots(memory)
  const arena = new RecordArena(1)
  const log: string[] = []
  const sent: {
    slot: number
    turn: number
    resolve: (answer: StretchAnswer) => void
    reject: (error: unknown) => void
  }[] = []
  const flow = new StretchFlow(
    slots.join(),
    ([slot, , turn]) => new Promise((resolve, reject) => void sent.push({ slot, turn, resolve, reject })),
    {
      answered: (record, answer) => log.push(`${record.seq} ${typeof answer === 'string' ? answer : answer.fault}`),
      failed: (record, error) => log.push(`${record.seq} failed ${(error as EvenkeelError).code}`),
      startAlone: (record) => log.push(`${record.seq} alone`),
      succeeded: (stretch, lines) => log.push(`${stretch.seq} whole ${lines.toString().trim().split('\n').join(' ')}`),
      split: (stretch, memorySlot) => {
        log.push(`${stretch.seq} split`)
        return splitStretch(stretch, memory, memorySlot, arena, 10)
      },
    },
  )
  /** What the worker does: records 0 to count - 1 give their number. */
  const work = (slot: number, count: number, from = 0): void => {
    for (let index = from; index < count; index++) {
      memory.write(slot, index, `r${index}`)
      memory.pass(slot, index)
    }
  }
  const records = (count: number) => Array.from({ length: count }, (_, seq) => placedRecord(seq))
  /** Lines 0 to count - 1 of an input, as the reader hands them over. */
  const whole = (count: number) =>
    flow.next(
      readerOf((note) => {
        if (note === undefined) return undefined
        arena.bytes.write('r\n'.repeat(count), 0)
        for (let index = 0; index < count; index++) memory.place(note.slot, index, 2 * index, 2 * index + 1)
        note.count = count
        return new InputRecord(arena.hold(0, 1), 0, 1, 0, 2 * count, undefined, count)
      }),
      count,
    )
  const turn = () => new Promise((done) => setImmediate(done))
  return { flow, log, sent, work, records, whole, memory, slots, arena, turn }
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

  test('that is stopped with all others takes nothing from its slot that was not done', async () => {
    const { flow, log, sent, work, records, memory, turn } = flowOf(1)
    // The slot holds lines of an earlier stretch.
    flow.start(records(5))
    work(sent[0]!.slot, 5)
    sent[0]!.resolve(0)
    await turn()
    log.length = 0
    flow.start(records(5))
    const { slot, resolve } = sent[1]!
    memory.write(slot, 0, 'new 0')
    memory.pass(slot, 0)
    flow.stopAll()
    memory.write(slot, 1, 'new 1')
    expect(memory.pass(slot, 1)).toBe(false)
    // Too late to be aborted: it answers like one that came to its end.
    resolve([])
    await turn()
    expect(log).toEqual(['2 alone', '3 alone', '4 alone', '0 new 0', '1 new 1'])
  })

  test('that is given up keeps its slot while a worker is in it', async () => {
    const { flow, sent, records, memory, slots, turn } = flowOf(1)
    flow.start(records(3))
    const { slot, turn: number, reject } = sent[0]!
    memory.enter(slot, number, 4)
    flow.stopAll()
    reject(new EvenkeelError('EVENKEEL_ABORTED', 'x'))
    await turn()
    expect(slots.free).toBe(0)
    slots.threadEnded(4)
    expect(slots.free).toBe(1)
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

  test('of whole lines settles as one, or is split when one of them has more to say', async () => {
    const { flow, log, sent, work, whole, memory, turn } = flowOf()
    expect(whole(3)?.count).toBe(3)
    work(sent[0]!.slot, 3)
    sent[0]!.resolve(0)
    await turn()
    expect(log).toEqual(['0 whole r0 r1 r2'])
    log.length = 0
    whole(2)
    work(sent[1]!.slot, 1)
    memory.write(sent[1]!.slot, 1, undefined)
    memory.pass(sent[1]!.slot, 1)
    sent[1]!.resolve([[1, { fault: 'json' }]])
    await turn()
    expect(log).toEqual(['0 split', '0 r0', '1 json'])
    expect(flow.isUsable).toBe(true)
  })

  test('of whole lines that is stuck is split, and keeps only the record that runs', async () => {
    const { flow, log, sent, work, whole, memory, turn } = flowOf()
    whole(4)
    const { slot, resolve } = sent[0]!
    work(slot, 1)
    flow.check()
    flow.check()
    expect(log).toEqual(['0 split', '2 alone', '3 alone', '0 r0'])
    memory.write(slot, 1, 'late')
    resolve(0)
    await turn()
    expect(log.slice(4)).toEqual(['1 late'])
  })

  test('of whole lines whose worker is lost blames the record that ran', async () => {
    const { log, sent, work, whole, turn } = flowOf()
    whole(3)
    work(sent[0]!.slot, 1)
    sent[0]!.reject(new EvenkeelError('EVENKEEL_WORKER_EXIT', 'x'))
    await turn()
    expect(log).toEqual(['0 split', '0 r0', '1 failed EVENKEEL_WORKER_EXIT', '2 alone'])
  })

  test('that nobody has lines for gives its slot back', () => {
    const { flow, whole } = flowOf(1)
    expect(
      flow.next(
        readerOf(() => undefined),
        9,
      ),
    ).toBeUndefined()
    expect(whole(1)?.count).toBe(1)
    expect(whole(1)).toBeUndefined()
  })
})
