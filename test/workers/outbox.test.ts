import { MessageChannel, MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { EvenkeelError } from '../../src/base/errors.js'
import { indexOf } from '../../src/board/claims.js'
import { boardOf } from '../../src/board/layout.js'
import { IN_MESSAGE, ResultReader, ResultWriter } from '../../src/board/results.js'
import { RowReader } from '../../src/board/row-reader.js'
import { RowWriter } from '../../src/board/row-writer.js'
import { FAILED, OK, SKIPPED } from '../../src/protocol/batch.js'
import { CountedPort } from '../../src/protocol/counted-port.js'
import { decodeError } from '../../src/protocol/error-transfer.js'
import { transfer } from '../../src/protocol/transfer.js'
import { Outbox } from '../../workers/outbox.js'
import { answersOf, type ReadAnswer } from './driven-executor.js'

function newOutbox() {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  const board = boardOf()
  const results = new ResultReader(board)
  const writer = new ResultWriter(board, (shapes) => results.learn(shapes))
  const read = (): ReadAnswer[][] => {
    const batches: ReadAnswer[][] = []
    for (let entry = receiveMessageOnPort(port2); entry !== undefined; entry = receiveMessageOnPort(port2)) {
      batches.push(answersOf(entry.message, results))
    }
    return batches
  }
  const outbox = new Outbox(new CountedPort(port1), board, new RowWriter(board.row))
  /** What the executor does with a result. */
  const ok = (key: number, value: unknown, nowMs: number) => {
    const where = writer.write(indexOf(key), value)
    if (where === IN_MESSAGE) outbox.ok(key, value, nowMs)
    else outbox.written(key, where, nowMs)
  }
  return { outbox, ok, row: new RowReader(board.row), read }
}

/** The rejection that an answer carries. */
function rejectionOf({ status, value }: ReadAnswer): EvenkeelError {
  expect(status).toBe(FAILED)
  return decodeError(value as never) as EvenkeelError
}

describe('Outbox', () => {
  test('keeps answers until it is flushed or an error is sent, and sends nothing when there are none', () => {
    const { outbox, ok, read } = newOutbox()
    outbox.flush()
    ok(1, 'a', 0)
    outbox.skipped(2, 0)
    expect(read()).toEqual([])
    outbox.failed(3, 'thrown', 0)
    const [batch, failed, ...more] = read()
    expect([...batch!, ...failed!].map(({ key, status }) => [key, status])).toEqual([
      [1, OK],
      [2, SKIPPED],
      [3, FAILED],
    ])
    expect(decodeError(failed![0]!.value as never)).toBe('thrown')
    expect(more).toEqual([])
    outbox.flush()
    expect(read()).toEqual([])
  })

  test('says in the row whether it keeps any', () => {
    const { outbox, ok, row, read } = newOutbox()
    expect(row.keeping).toBe(false)
    ok(1, 'a', 0)
    expect(row.keeping).toBe(true)
    outbox.flush()
    expect(row.keeping).toBe(false)
    outbox.skipped(2, 0)
    expect(row.keeping).toBe(true)
    ok(3, new Map(), 0)
    expect([row.keeping, read().length]).toEqual([false, 3])
  })

  test('says nothing while answers wait for printed output, until tasks run again', () => {
    const { outbox, ok, row } = newOutbox()
    const untaken = vi.spyOn(process.stdout, 'writableLength', 'get').mockReturnValue(1)
    onTestFinished(() => untaken.mockRestore())
    ok(1, 'a', 0)
    outbox.flushAfterOutput()
    expect(row.keeping).toBe(false)
    outbox.tasksRun()
    expect(row.keeping).toBe(true)
    ok(2, 'b', 0)
    outbox.flushAfterOutput()
    expect(row.keeping).toBe(false)
    outbox.flush()
    outbox.tasksRun()
    expect(row.keeping).toBe(false)
  })

  test('sends by itself at 64 answers', () => {
    const { ok, read } = newOutbox()
    for (let key = 0; key < 63; key++) ok(key, key, 0)
    expect(read()).toEqual([])
    ok(63, 63, 0)
    expect(read().map((batch) => batch.length)).toEqual([64])
  })

  test('sends by itself with the first answer later than 0.25 ms after the oldest', () => {
    const { ok, read } = newOutbox()
    ok(1, 1, 10)
    ok(2, 2, 10.25)
    expect(read()).toEqual([])
    ok(3, 3, 10.26)
    expect(read().map((batch) => batch.length)).toEqual([3])
    // The next one is an oldest of its own.
    ok(4, 4, 20)
    expect(read()).toEqual([])
  })

  test('a result that cannot be cloned fails alone, and names the place', () => {
    const { outbox, ok, read } = newOutbox()
    for (let key = 0; key < 20; key++) ok(key, key === 7 ? { deep: { fn() {} } } : key, 0)
    outbox.flush()
    const answers = read().flat()
    expect(answers.map(({ key }) => key)).toEqual(Array.from({ length: 20 }, (_, key) => key))
    expect(answers.filter(({ status }) => status === OK)).toHaveLength(19)
    const error = rejectionOf(answers[7]!)
    expect([error.code, error.name, error.path]).toEqual(['EVENKEEL_CLONE', 'DataCloneError', 'result.deep.fn'])
  })

  test('moves what a result lists', () => {
    const { outbox, ok, read } = newOutbox()
    const bytes = new Uint8Array([1, 2, 3])
    const { port1: port } = new MessageChannel()
    onTestFinished(() => port.close())
    ok(1, transfer({ nested: { bytes } }, [bytes.buffer]), 0)
    ok(2, transfer(port, [port]), 0)
    outbox.flush()
    const [first, second] = read().flat() as [ReadAnswer, ReadAnswer]
    expect(first.value).toEqual({ nested: { bytes: new Uint8Array([1, 2, 3]) } })
    expect(bytes.byteLength).toBe(0)
    expect(second.value).toBeInstanceOf(MessagePort)
    ;(second.value as MessagePort).close()
  })

  test('moves it also when a neighbour cannot be cloned, however deep it stands', () => {
    const { outbox, ok, read } = newOutbox()
    const bytes = new Uint8Array([1, 2, 3])
    const { port1: port } = new MessageChannel()
    ok(1, () => 1, 0)
    ok(2, transfer({ a: { b: { bytes, port } } }, [bytes.buffer, port]), 0)
    outbox.flush()
    const [bad, good] = read().flat()
    expect(rejectionOf(bad!).code).toBe('EVENKEEL_CLONE')
    expect(good!.status).toBe(OK)
    expect(bytes.byteLength).toBe(0)
    ;(good!.value as { a: { b: { port: MessagePort } } }).a.b.port.close()
  })

  test('what is sent twice arrives the first time and is told the second', () => {
    const { outbox, ok, read } = newOutbox()
    const bytes = new Uint8Array(8)
    ok(1, transfer(bytes, [bytes.buffer]), 0)
    ok(2, transfer(bytes, [bytes.buffer]), 0)
    outbox.flush()
    ok(3, transfer(bytes, [bytes.buffer]), 0)
    outbox.flush()
    const [first, second, third] = read().flat()
    expect(first!.value).toEqual(new Uint8Array(8))
    for (const answer of [second!, third!]) {
      const error = rejectionOf(answer)
      expect(error.code).toBe('EVENKEEL_CLONE')
      expect(error.cause).toMatchObject({ message: expect.stringContaining('already moved') })
    }
  })

  test('a transfer list that is none is told', () => {
    const { outbox, ok, read } = newOutbox()
    ok(1, transfer(1, ['nothing'] as never), 0)
    ok(2, 'neighbour', 0)
    outbox.flush()
    const [bad, good] = read().flat()
    expect(rejectionOf(bad!)).toBeInstanceOf(Error)
    expect(good!.value).toBe('neighbour')
  })

  test('what a getter of the result throws is the cause, and the getter is named', () => {
    const { outbox, ok, read } = newOutbox()
    const value = {
      get x() {
        throw new RangeError('from the getter')
      },
    }
    ok(1, value, 0)
    outbox.flush()
    expect(rejectionOf(read().flat()[0]!)).toMatchObject({ path: 'result.x', cause: { message: 'from the getter' } })
  })
})

describe('results that share a message', () => {
  test('are copies: what the task does to them later changes nothing', () => {
    const { outbox, ok, read } = newOutbox()
    const state = { list: [1] }
    ok(1, state, 0)
    state.list.push(2)
    ok(2, state, 0)
    outbox.flush()
    expect(read().map((batch) => batch.map(({ value }) => value))).toEqual([[{ list: [1] }, { list: [1, 2] }]])
  })

  test('are sent alone where they cannot be copied, in their place and at once', () => {
    const { outbox, ok, read } = newOutbox()
    ok(1, 'before', 0)
    const state = new Map([[1, 2]])
    ok(2, state, 0)
    state.clear()
    ok(3, 'after', 0)
    outbox.skipped(4, 0)
    const cause = { map: new Map([[3, 4]]) }
    outbox.failed(5, new Error('thrown', { cause }), 0)
    cause.map.clear()
    outbox.flush()
    const batches = read()
    expect(batches.map((batch) => batch.map(({ key }) => key))).toEqual([[1], [2], [3, 4], [5]])
    expect(batches[1]![0]!.value).toEqual(new Map([[1, 2]]))
    expect(rejectionOf(batches[3]![0]!)).toMatchObject({ cause: { map: new Map([[3, 4]]) } })
  })

  test('wait as clones while something printed is on its way', () => {
    const { outbox, ok, read } = newOutbox()
    const untaken = vi.spyOn(process.stdout, 'writableLength', 'get').mockReturnValue(1)
    onTestFinished(() => untaken.mockRestore())
    const state = new Map([[1, 2]])
    const moved = new Uint8Array([5])
    ok(1, state, 0)
    ok(2, transfer(moved, [moved.buffer]), 0)
    ok(3, new Map([[1, () => {}]]), 0)
    state.clear()
    expect(moved.length).toBe(0)
    expect(read()).toEqual([])
    outbox.flush()
    const [first, second, third] = read().flat()
    expect([first!.value, second!.value]).toEqual([new Map([[1, 2]]), new Uint8Array([5])])
    expect(rejectionOf(third!).code).toBe('EVENKEEL_CLONE')
  })
})
