import { describe, expect, test } from 'vitest'
import { CLAIMED, indexOf } from '../../src/board/claims.js'
import { FAILED, OK, SKIPPED } from '../../src/protocol/batch.js'
import { decodeError } from '../../src/protocol/error-transfer.js'
import { newExecutor } from './executor-tasks.js'

describe('CPU tasks', () => {
  test('run in order, not in the message handler but in a turn of the loop, and are answered in one message', async () => {
    const { driven, started } = newExecutor()
    driven.post('echo', 'a', 'b')
    driven.post('echo', 'c')
    expect(started).toEqual([])
    await driven.turn()
    expect(started).toEqual(['a', 'b', 'c'])
    expect(driven.values()).toEqual(['a', 'b', 'c'])
    // The first run of a name may be long: nothing was waiting yet. Then all went together.
    expect(driven.batches.map((batch) => batch.length)).toEqual([3])
  })

  test('start, end and run time stand on the board', async () => {
    const { driven } = newExecutor()
    const startMs = driven.clock.nowMs()
    const [first, second] = driven.post('spend', 1.5, 0.5)
    await driven.turn()
    expect([first, second].map((key) => driven.board.runUs[indexOf(key!)])).toEqual([1_500, 500])
    // The end of one is the start of the next.
    expect(driven.board.startedAt[indexOf(second!)]).toBe(startMs + 1.5)
    expect(driven.row.started).toBe(2)
    expect(driven.row.cpuProgressAgeMs(driven.clock.nowMs())).toBe(0)
    expect(driven.row.running).toBe(-1)
  })

  test('that throw, whatever it is, fail alone', async () => {
    const { driven } = newExecutor()
    driven.post('fail', new RangeError('no'), null)
    driven.post('echo', 1)
    await driven.turn()
    const [range, nothing, fine] = driven.read()
    expect([range!.status, nothing!.status, fine!.status]).toEqual([FAILED, FAILED, OK])
    expect(decodeError(range!.value as never)).toBeInstanceOf(RangeError)
    expect(decodeError(nothing!.value as never)).toBeNull()
  })

  test('taken back before their turn are skipped, and say so', async () => {
    const { driven, started } = newExecutor()
    const [, second] = driven.post('echo', 'a', 'b', 'c')
    driven.revoke(second!)
    await driven.turn()
    expect(started).toEqual(['a', 'c'])
    expect(driven.read().map(({ status }) => status)).toEqual([OK, SKIPPED, OK])
  })

  test('give the loop its turn after 4 ms', async () => {
    const { driven, started } = newExecutor()
    driven.post('spend', 1, 1, 1, 1, 1, 1)
    await driven.turn()
    expect(started).toHaveLength(4)
    await driven.turn()
    expect(started).toHaveLength(6)
    expect(driven.values()).toHaveLength(6)
  })

  test('that are asynchronous hold the turn until they settle', async () => {
    const { driven, started, ends } = newExecutor()
    const [first] = driven.post('hold', 'slow')
    driven.post('echo', 'next')
    await driven.turn(3)
    expect(started).toEqual(['slow'])
    expect(driven.row.running).toBe(indexOf(first!))
    expect(driven.stateOf(first!)).toBe(CLAIMED)
    ends.get('slow')!.resolve('done')
    await driven.turn(2)
    expect(started).toEqual(['slow', 'next'])
    expect(driven.values()).toEqual(['done', 'next'])
  })

  test('that settle within the pass are followed in the same turn', async () => {
    const { driven, started, call } = newExecutor()
    call.body = async (payload) => payload
    driven.post('call', 1, 2, 3)
    await driven.turn()
    expect(started).toEqual([1, 2, 3])
    await driven.turn()
    expect(driven.values()).toEqual([1, 2, 3])
  })

  test.each<[string, () => unknown]>([
    [
      'whose `then` cannot be read',
      () =>
        Object.defineProperty({}, 'then', {
          get: () => {
            throw new Error('trap')
          },
        }),
    ],
    [
      'whose `then` throws',
      () =>
        Object.fromEntries([
          [
            'then',
            () => {
              throw new Error('trap')
            },
          ],
        ]),
    ],
    [
      'that is a promise with a broken constructor',
      () =>
        Object.defineProperty(Promise.resolve(1), 'constructor', {
          get: () => {
            throw new Error('trap')
          },
        }),
    ],
  ])('that return a thenable %s fail, and the next one runs', async (_name, make) => {
    const { driven, call } = newExecutor(['fetch'])
    call.body = make
    driven.post('call', 1)
    driven.post('echo', 'next')
    await driven.turn(3)
    const [trapped, next] = driven.read()
    expect(trapped!.status).toBe(FAILED)
    expect((decodeError(trapped!.value as never) as Error).message).toBe('trap')
    expect(next!.value).toBe('next')
  })

  test('settle once although their thenable calls back often', async () => {
    const { driven, call } = newExecutor()
    call.body = () => ({
      // biome-ignore lint/suspicious/noThenProperty: a foreign thenable is the subject
      then(resolve: (value: unknown) => void, reject: (error: unknown) => void) {
        resolve('first')
        resolve('second')
        reject(new Error('third'))
      },
    })
    driven.post('call', 1)
    await driven.turn(3)
    expect(driven.values()).toEqual(['first'])
  })
})

describe('answers are sent', () => {
  test('before the first runs of a name', async () => {
    const { driven } = newExecutor([], 4, false)
    driven.post('echo', ...Array.from({ length: 70 }, (_, at) => at))
    await driven.turn()
    driven.read()
    expect(driven.batches.map((batch) => batch.length)).toEqual([...Array<number>(63).fill(1), 7])
  })

  test('before a name that has been long, but not before a short one', async () => {
    const { driven } = newExecutor()
    driven.post('echo', 1)
    driven.post('spend', 0.01)
    driven.post('echo', 2)
    driven.post('spend', 0.5)
    driven.post('echo', 3)
    driven.post('spend', 0.01)
    await driven.turn()
    driven.read()
    // The first four were late enough to send.
    expect(driven.batches.map((batch) => batch.map(({ value }) => value))).toEqual([[1, 0.01, 2, 0.5], [3], [0.01]])
  })

  test('at 64 of them', async () => {
    const { driven } = newExecutor()
    driven.post('echo', ...Array.from({ length: 150 }, (_, at) => at))
    await driven.turn()
    driven.read()
    expect(driven.batches.map((batch) => batch.length)).toEqual([64, 64, 22])
  })

  test('with the first that comes 0.25 ms after the oldest', async () => {
    const { driven } = newExecutor()
    driven.post('spend', ...Array.from({ length: 8 }, () => 0.1))
    await driven.turn()
    driven.read()
    expect(driven.batches.map((batch) => batch.length)).toEqual([4, 4])
  })

  test('on flush, as at exit, in the middle of a task', async () => {
    const { driven, call } = newExecutor()
    driven.post('call', 0)
    await driven.turn()
    driven.read()
    let sent: unknown[] = []
    call.body = () => {
      driven.executor.flush()
      sent = driven.values()
    }
    driven.post('echo', 'before')
    driven.post('call', 1)
    await driven.turn()
    expect(sent).toEqual(['before'])
  })
})

test('a payload is not kept alive once its task has ended', async () => {
  const { driven, started } = newExecutor()
  const kept = new WeakRef({ large: true })
  driven.post('echo', kept.deref())
  await driven.turn()
  driven.read()
  started.length = 0
  expect(driven.executor.cpuDepth).toBe(0)
  const { setFlagsFromString } = await import('node:v8')
  setFlagsFromString('--expose-gc')
  const { runInNewContext } = await import('node:vm')
  for (let round = 0; round < 10 && kept.deref() !== undefined; round++) {
    await driven.turn()
    runInNewContext('gc')()
  }
  expect(kept.deref()).toBeUndefined()
})
