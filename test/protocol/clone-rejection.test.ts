import { MessageChannel, type TransferListItem } from 'node:worker_threads'
import { afterAll, describe, expect, test } from 'vitest'
import { EvenkeelError } from '../../src/base/errors.js'
import { cloneRejection, refuseEmptied, unreadableFault, unreadableWire } from '../../src/protocol/clone-rejection.js'
import { decodeError } from '../../src/protocol/error-transfer.js'
import { refuseDetached } from '../../src/protocol/transfer.js'

/** What the task rejects with when the clone refuses this value. */
function rejectionOf(value: unknown): unknown {
  try {
    structuredClone(value)
  } catch (thrown) {
    return cloneRejection({ root: 'payload', value, thrown, task: 'resize' })
  }
  throw new Error('the value was cloned')
}

function throwing(error: unknown) {
  return {
    get x(): number {
      throw error
    },
  }
}

describe('a value that cannot be cloned', () => {
  test('rejects with an error that names the place and the task', () => {
    const error = rejectionOf({ list: [1, Symbol('s')] })
    expect(error).toBeInstanceOf(EvenkeelError)
    expect(error).toMatchObject({
      code: 'EVENKEEL_CLONE',
      name: 'DataCloneError',
      path: 'payload.list[1]',
      task: 'resize',
      retryable: false,
    })
  })

  test('because it is nested too deeply says so, with the cause', () => {
    let deep: unknown = 0
    for (let depth = 0; depth < 50_000; depth++) deep = [deep]
    const error = rejectionOf(deep)
    expect(error).toBeInstanceOf(EvenkeelError)
    expect(error).toMatchObject({ code: 'EVENKEEL_CLONE', name: 'DataCloneError', path: 'payload', task: 'resize' })
    expect((error as Error).cause).toBeInstanceOf(RangeError)
  })

  test.each([new Error('mine'), new RangeError('mine too'), null, undefined, 'text'])(
    'because its getter threw names the getter, with what it threw as cause: %s',
    (thrown) => {
      const error = rejectionOf(throwing(thrown)) as EvenkeelError
      expect([error.code, error.name, error.path, error.cause]).toEqual([
        'EVENKEEL_CLONE',
        'DataCloneError',
        'payload.x',
        thrown,
      ])
    },
  )
})

describe('a transfer list', () => {
  const { port1, port2 } = new MessageChannel()
  afterAll(() => port1.close())

  /** What the task rejects with when the port refuses this list. */
  function refusal(list: readonly unknown[], value: unknown = list): EvenkeelError {
    try {
      refuseDetached(list as TransferListItem[])
      port1.postMessage(value, list as TransferListItem[])
    } catch (thrown) {
      return cloneRejection({ root: 'payload', value, thrown, transferred: list })
    }
    throw new Error('the port took the list')
  }

  const buffer = new ArrayBuffer(8)
  const moved = new ArrayBuffer(8)
  structuredClone(moved, { transfer: [moved] })
  const locked = new ReadableStream()
  locked.getReader()
  const closed = new MessageChannel().port1
  closed.close()

  test.each<[string, string, readonly unknown[]]>([
    ['no object', 'transfer[0]', [5]],
    ['null', 'transfer[1]', [buffer, null]],
    ['a plain object', 'transfer[0]', [{}]],
    ['a function', 'transfer[0]', [() => 1]],
    ['a view instead of its buffer', 'transfer[0]', [new Uint8Array(1)]],
    ['shared memory', 'transfer[0]', [new SharedArrayBuffer(1)]],
    ['an object twice', 'transfer[1]', [buffer, buffer]],
    ['moved memory', 'transfer[1]', [buffer, moved]],
    ['a locked stream', 'transfer[0]', [locked]],
    ['a closed port', 'transfer[1]', [buffer, closed]],
    ['the port itself', 'transfer[0]', [port1]],
    ['two ports, one of them closed', 'transfer', [port2, closed]],
  ])('with %s is refused by its place', (_, path, list) => {
    const error = refusal(list, 1)
    expect([error.code, error.name, error.path]).toEqual(['EVENKEEL_CLONE', 'DataCloneError', path])
    expect(error.message).toMatch(/^transfer.* cannot be moved: ./)
    expect(error.cause).toBeDefined()
    expect(buffer.byteLength).toBe(8)
  })

  test('without a fault leaves the blame to the value', () => {
    expect(refusal([buffer], { buffer, fn() {} }).path).toBe('payload.fn')
  })
})

test('a value that would arrive as nothing is refused before it is sent, unless it is moved', () => {
  const stream = new ReadableStream()
  // Newer versions of Node refuse a URL themselves; of this one nothing arrives on any.
  class Sealed {
    readonly #secret = 1
    reveal() {
      return this.#secret
    }
  }
  expect(() => refuseEmptied({ a: [1, new Sealed()] }, 'result', [], 'fetch')).toThrow(
    expect.objectContaining({ code: 'EVENKEEL_CLONE', name: 'DataCloneError', path: 'result.a[1]', task: 'fetch' }),
  )
  expect(() => refuseEmptied({ stream }, 'payload', [stream])).not.toThrow()
})

test('a value that could not be read looks like one that could not be written', () => {
  const fault = unreadableFault(new RangeError('stack'), 'worker')
  expect([fault.name, fault.message]).toEqual(['DataCloneError', 'the worker could not read it: stack'])
  expect(unreadableFault(undefined, 'caller').message).toBe("the caller's thread could not read it")
})

test('travels as the error that its task rejects with', () => {
  expect(decodeError(unreadableWire('item', new RangeError('stack')))).toMatchObject({
    name: 'DataCloneError',
    code: 'EVENKEEL_CLONE',
    path: 'item',
    message: "item cannot be cloned: the caller's thread could not read it: stack",
  })
})
