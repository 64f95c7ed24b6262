import { describe, expect, test } from 'vitest'
import { askToEnd, DONE, DOOMED, doom, indexOf } from '../../src/board/claims.js'
import { FAILED } from '../../src/protocol/batch.js'
import { decodeError, encodeError } from '../../src/protocol/error-transfer.js'
import { newExecutor } from './executor-tasks.js'

describe('a request to end', () => {
  const reason = encodeError(new Error('enough'), () => true)

  test('reaches the signal of the task that holds the turn, and of an I/O task, and of no other', async () => {
    const { driven, contexts } = newExecutor()
    const [cpu] = driven.post('hold', 'cpu')
    const [one, two] = driven.post('fetch', 1, 2)
    await driven.turn()
    const byKey = (key: number) => contexts.find((context) => context.key === key)!
    for (const key of [cpu!, one!]) {
      expect(byKey(key).signal.aborted).toBe(false)
      expect(askToEnd(driven.board.state, key)).toBe(true)
      expect(byKey(key).aborted).toBe(true)
      driven.executor.abort(key, reason)
      expect((byKey(key).signal.reason as Error).message).toBe('enough')
    }
    expect(byKey(two!).signal.aborted).toBe(false)
    driven.executor.abort(two! + 512, reason)
    expect(byKey(two!).signal.aborted).toBe(false)
  })

  test('runs the listeners of the signal as the task that owns them', async () => {
    const { driven, contexts } = newExecutor()
    const [key] = driven.post('fetch', 1)
    await driven.turn()
    let owner: unknown
    contexts[0]!.signal.addEventListener('abort', () => {
      owner = driven.owner.getStore()
    })
    driven.executor.abort(key!, reason)
    expect(owner).toBe(contexts[0])
  })

  test('does not keep the answer of a task that goes on', async () => {
    const { driven, ends } = newExecutor()
    const [key] = driven.post('hold', 1)
    await driven.turn()
    askToEnd(driven.board.state, key!)
    ends.get(1)!.resolve('anyway')
    await driven.turn(2)
    expect(driven.values()).toEqual(['anyway'])
  })
})

describe('a doomed thread', () => {
  test('answers the doomed task no more, starts nothing, and still names it as running', async () => {
    const { driven, started, ends } = newExecutor()
    const [key] = driven.post('hold', 'doomed')
    await driven.turn()
    expect(doom(driven.board.state, key!)).toBe(true)
    driven.post('echo', 'never')
    driven.post('fetch', 'never')
    ends.get('doomed')!.resolve('too late')
    await driven.turn(3)
    expect(started.slice(0, 1)).toEqual(['doomed'])
    expect(started).not.toContain('echo')
    expect(driven.read()).toEqual([])
    expect(driven.stateOf(key!)).toBe(DOOMED)
    expect(driven.row.running).toBe(indexOf(key!))
  })

  test('that is synchronous ends the pass', async () => {
    const { driven, started, call } = newExecutor()
    let key = -1
    call.body = () => {
      doom(driven.board.state, key)
      return 'too late'
    }
    ;[key] = driven.post('call', 1) as [number]
    driven.post('echo', 'never')
    await driven.turn(3)
    expect(started).toEqual([1])
    expect(driven.read()).toEqual([])
  })

  test('still answers for I/O tasks that were running beside it', async () => {
    const { driven, ends } = newExecutor()
    const [key] = driven.post('hold', 'doomed')
    const [other] = driven.post('fetch', 'bystander')
    await driven.turn()
    doom(driven.board.state, key!)
    ends.get('doomed')!.resolve('too late')
    await driven.turn()
    ends.get('bystander')!.resolve('fine')
    await driven.turn(2)
    expect(driven.values()).toEqual(['fine'])
    expect(driven.stateOf(other!)).not.toBe(DONE)
  })
})

describe('progress', () => {
  test('goes out at once, ahead of the result, and not after it', async () => {
    const { driven, ends, contexts } = newExecutor()
    const [key] = driven.post('fetch', 1)
    await driven.turn()
    contexts[0]!.progress('half')
    driven.read()
    expect(driven.others).toEqual([{ type: 'progress', key, position: 0, value: 'half' }])
    ends.get(1)!.resolve(0)
    await driven.turn()
    contexts[0]!.progress('late')
    driven.read()
    expect(driven.others).toHaveLength(1)
  })

  test('that cannot be cloned throws where it was called', async () => {
    const { driven, call } = newExecutor()
    call.body = (_payload, context) => context.progress(() => 1)
    driven.post('call', 1)
    await driven.turn()
    const [failed] = driven.read()
    expect(failed!.status).toBe(FAILED)
    expect((decodeError(failed!.value as never) as Error).name).toBe('DataCloneError')
  })
})
