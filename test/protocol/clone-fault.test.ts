import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { MessageChannel } from 'node:worker_threads'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { EvenkeelError } from '../../src/base/errors.js'
import { findCloneFault, findTransferFault, isCloneable, isMovable } from '../../src/protocol/clone-fault.js'
import { cloneRejection } from '../../src/protocol/clone-rejection.js'

const { port1 } = new MessageChannel()
afterAll(() => port1.close())

/** The error for a value that the port really refuses. */
function refuse(value: unknown): EvenkeelError {
  try {
    port1.postMessage(value)
  } catch (thrown) {
    const error = cloneRejection({ root: 'payload', value, thrown, task: 'resize' })
    expect(error.code).toBe('EVENKEEL_CLONE')
    expect(error.name).toBe('DataCloneError')
    expect(error.task).toBe('resize')
    expect(error.cause).toBe(thrown)
    expect(error.retryable).toBe(false)
    expect(error.message.startsWith(error.path!.slice(0, 50))).toBe(true)
    return error
  }
  throw new Error('the port took the value')
}

class Plan {
  steps = [{ run: () => 1 }]
}

describe('the path', () => {
  test.each<[string, unknown]>([
    ['payload', () => 1],
    ['payload', Symbol('s')],
    ['payload', new WeakMap()],
    ['payload', Promise.resolve()],
    ['payload', new Proxy({}, {})],
    ['payload.callback', { name: 'x', callback() {} }],
    ['payload.items[3].socket', { items: [1, 2, {}, { socket: Symbol('socket') }] }],
    ['payload["odd key"].x', { 'odd key': { x: () => 1 } }],
    ['payload[1]', [1, new WeakSet()]],
    ["payload.map.get('a').fn", { map: new Map([['a', { fn() {} }]]) }],
    [
      'payload.map.keys()[1]',
      {
        map: new Map<unknown, number>([
          ['a', 1],
          [() => 1, 2],
        ]),
      },
    ],
    ['payload.set.values()[1]', { set: new Set([1, Symbol('s')]) }],
    ['payload.plan.steps[0].run', { plan: new Plan() }],
    ['payload.port', { at: new Date(), bytes: new Uint8Array(9), port: new MessageChannel().port1 }],
    ['payload.größe', { größe: () => 1 }],
  ])('%s is named', (path, value) => {
    expect(refuse(value).path).toBe(path)
  })

  test('the shortest path wins over a deeper one that comes first', () => {
    expect(refuse({ first: { deep: { fn() {} } }, second() {} }).path).toBe('payload.second')
  })

  test('a stream is found', () => {
    expect(refuse({ input: { stream: Readable.from([]) } }).path).toMatch(/^payload\.input\.stream/)
  })

  test('what is cloned already is not the fault, transferred objects neither', () => {
    const { port1: handed } = new MessageChannel()
    const value = { handed, fn() {} }
    const error = cloneRejection({ root: 'result', value, thrown: new Error('no'), transferred: [handed] })
    expect(error.path).toBe('result.fn')
  })

  test('memory that was moved before is told as such, at its place', () => {
    const bytes = new Uint8Array(8)
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
    expect(findCloneFault({ bytes }, 'payload')).toEqual({
      path: 'payload.bytes',
      reason: 'a Uint8Array whose memory was moved elsewhere before',
    })
    expect(findCloneFault([bytes.buffer], 'result')?.path).toBe('result[0]')
    expect(findCloneFault(new Uint8Array(0), 'payload')).toBeUndefined()
  })

  test('a port is told without a trial, which would end the process when it was moved before', async () => {
    const { port1, port2 } = new MessageChannel()
    structuredClone(port2, { transfer: [port2] })
    await new Promise(setImmediate)
    expect(findCloneFault({ port: port2 }, 'payload')).toMatchObject({ path: 'payload.port' })
    expect(findCloneFault({ port: port1 }, 'payload')?.reason).toMatch(/MessagePort/)
    expect(findCloneFault({ port: port1 }, 'payload', [port1])).toBeUndefined()
    port1.close()
  })

  test('a stream or an open file is told to be moved, not opened to look for what is wrong with it', async () => {
    const file = await open('/dev/null')
    for (const value of [new ReadableStream(), new WritableStream(), new TransformStream(), file]) {
      expect(findCloneFault({ value }, 'result')).toEqual({
        path: 'result.value',
        reason: `a ${value.constructor.name} that is not named in \`transfer\``,
      })
      expect(findCloneFault({ value }, 'result', [value])).toBeUndefined()
    }
    await file.close()
  })

  test('what would arrive as nothing counts as not cloneable, whatever Node does with it', () => {
    expect([new URL('http://a'), { a: new Headers() }, {}, new Map()].map(isCloneable)).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  test('a value without a fault has none', () => {
    expect(findCloneFault({ a: [1, new Date()], bytes: new Uint8Array(3) }, 'result')).toBeUndefined()
  })

  test('cycles end', () => {
    const value: Record<string, unknown> = { list: [] as unknown[] }
    value.self = value
    ;(value.list as unknown[]).push(value, { fn() {} })
    expect(refuse(value).path).toBe('payload.list[1].fn')
  })

  test('a getter that throws is named, with its error as cause', () => {
    const broken = new Error('broken getter')
    const error = refuse({
      deep: {
        get x(): number {
          throw broken
        },
      },
    })
    expect(error.path).toBe('payload.deep.x')
    expect(error.cause).toBe(broken)
    expect(error.message).toContain('broken getter')
  })

  test('any plain data with one function in it is blamed on the function', () => {
    const data = fc.object({ maxDepth: 3, withBigInt: true, withDate: true, withMap: true, withSet: true })
    fc.assert(
      fc.property(data, fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 }), (value, way) => {
        let place = value as Record<string, unknown>
        for (const key of way) {
          const next = { extra: 1 }
          place[key] = next
          place = next
        }
        place.fault = () => 1
        expect(refuse(value).path).toBe(['payload', ...way, 'fault'].join('.'))
      }),
      { seed: 5, numRuns: 200 },
    )
  })
})

describe('bounds', () => {
  test('a generator as a result is told to be for stream(); one in a payload or within a result is not', () => {
    const asynchronous = (async function* () {})()
    const synchronous = (function* () {})()
    const thrown = new DOMException('refused', 'DataCloneError')
    for (const value of [asynchronous, synchronous]) {
      const { message, path } = cloneRejection({ root: 'result', value, thrown })
      expect([path, message]).toEqual([
        'result',
        expect.stringMatching(/^result cannot be cloned: a generator; .*stream\(\)/),
      ])
      expect(cloneRejection({ root: 'payload', value, thrown }).message).not.toContain('stream')
      expect(cloneRejection({ root: 'result', value: [value], thrown }).message).not.toContain('stream')
    }
  })

  test('a value nested 20,000 deep is told as too deep, with the RangeError as cause', () => {
    let deep: unknown = []
    for (let depth = 0; depth < 20_000; depth++) deep = [deep]
    const error = refuse(deep)
    expect(error.cause).toBeInstanceOf(RangeError)
    expect(error.path).toBe('payload')
    expect(error.message).toContain('too deeply')
  })

  test('a long path keeps its two ends', () => {
    let value: unknown = { fault() {} }
    for (let depth = 0; depth < 500; depth++) value = { step: value }
    const { path } = refuse(value)
    expect(path!.length).toBeLessThanOrEqual(201)
    expect(path).toMatch(/^payload\.step\..*…/)
    expect(path).toMatch(/\.step\.fault$/)
  })

  test('a fault behind a million numbers is reported without its place', () => {
    const error = refuse({ numbers: new Array(1_000_000).fill(1), last: { deep: { fn() {} } } })
    expect(error.path).toBe('payload')
    expect(error.message).toContain('could not be cloned')
  })

  test('nothing that was thrown instead of an error is lost', () => {
    const value = {
      get x(): number {
        throw null
      },
    }
    const error = refuse(value)
    expect(error.path).toBe('payload.x')
    expect(error.cause).toBeNull()
  })
})

test('a list of what can be moved has no fault', async () => {
  const file = await open('/dev/null')
  const { port1 } = new MessageChannel()
  const list = [new ArrayBuffer(1), port1, new ReadableStream(), new WritableStream(), new TransformStream(), file]
  expect(findTransferFault(list, 'whatever')).toBeUndefined()
  expect(list.map(isMovable)).toEqual(list.map(() => true))
  port1.close()
  await file.close()
})

test('names the first that cannot, and what to name instead of a view', () => {
  expect(findTransferFault([new ArrayBuffer(1), new Blob([]), 5], '')).toEqual({
    path: 'transfer[1]',
    reason: 'a Blob is not transferable',
  })
  expect(findTransferFault([new Uint8Array(1)], '')?.reason).toContain('name its buffer')
})

test('a port that Node refuses is named where it is the only one', () => {
  const reason = 'MessagePort in transfer list is already detached'
  const { port1, port2 } = new MessageChannel()
  expect(findTransferFault([new ArrayBuffer(1), port1], reason)).toEqual({ path: 'transfer[1]', reason })
  expect(findTransferFault([port1, port2], reason)).toEqual({ path: 'transfer', reason })
  port1.close()
})

test('hostile objects are no reason to throw', () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  expect(findTransferFault([proxy], '')?.path).toBe('transfer[0]')
})
