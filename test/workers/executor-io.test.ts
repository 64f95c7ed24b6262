import { describe, expect, test } from 'vitest'
import { indexOf } from '../../src/board/claims.js'
import { FAILED, SKIPPED } from '../../src/protocol/batch.js'
import { decodeError } from '../../src/protocol/error-transfer.js'
import { newExecutor } from './executor-tasks.js'

describe('I/O tasks', () => {
  test('start side by side up to the window, beside a CPU task that holds the turn', async () => {
    const { driven, started, ends } = newExecutor(['fetch'], 3)
    driven.post('hold', 'cpu')
    driven.post('fetch', 1, 2, 3, 4, 5)
    await driven.turn(2)
    expect(started).toEqual([1, 2, 3, 'cpu'])
    expect(driven.executor.ioDepth).toBe(5)
    ends.get(2)!.resolve('two')
    await driven.turn(2)
    expect(started).toEqual([1, 2, 3, 'cpu', 4])
    expect(driven.values()).toEqual(['two'])
    ends.get(1)!.reject(new TypeError('one'))
    await driven.turn(2)
    const [failed] = driven.read()
    expect(failed!.status).toBe(FAILED)
    expect(decodeError(failed!.value as never)).toBeInstanceOf(TypeError)
  })

  test('stamp a progress of their own', async () => {
    const { driven, ends } = newExecutor()
    driven.post('fetch', 1)
    await driven.turn()
    driven.clock.block(30)
    expect(driven.row.ioProgressAgeMs(driven.clock.nowMs())).toBe(30)
    ends.get(1)!.resolve(0)
    await driven.turn(2)
    expect(driven.row.ioProgressAgeMs(driven.clock.nowMs())).toBe(0)
    expect(driven.row.cpuProgressAgeMs(driven.clock.nowMs())).toBe(30)
    expect(driven.board.runUs[indexOf(driven.read()[0]!.key)]).toBe(30_000)
  })

  test('that compute before their first wait give the loop, and CPU tasks, their turn', async () => {
    const { driven, started } = newExecutor(['sum'], 64)
    driven.post('sum', 2, 2, 2, 2)
    driven.post('echo', 'cpu')
    await driven.turn()
    expect(started).toEqual([2, 2, 'cpu'])
    await driven.turn()
    expect(started).toEqual([2, 2, 'cpu', 2, 2])
    expect(driven.values()).toHaveLength(5)
  })

  test('that throw at once free their place', async () => {
    const { driven, call } = newExecutor(['call', 'fetch'], 1)
    call.body = () => {
      throw new Error('at once')
    }
    driven.post('call', 1, 2, 3)
    await driven.turn(4)
    expect(driven.read().map(({ status }) => status)).toEqual([FAILED, FAILED, FAILED])
    expect(driven.executor.ioDepth).toBe(0)
  })

  test('taken back before they start are skipped', async () => {
    const { driven, started } = newExecutor()
    const [first] = driven.post('fetch', 1, 2)
    driven.revoke(first!)
    await driven.turn()
    expect(started).toEqual([2])
    expect(driven.read().map(({ status }) => status)).toEqual([SKIPPED])
  })
})
