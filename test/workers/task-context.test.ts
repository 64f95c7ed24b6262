import { describe, expect, test } from 'vitest'
import { askToEnd, claim, doom, finish, post } from '../../src/board/claims.js'
import { encodeError } from '../../src/protocol/error-transfer.js'
import { TaskContext } from '../../workers/task-context.js'

const reason = encodeError(Object.assign(new Error('stop'), { code: 'X' }), () => true)

function newContext(wantsProgress = true) {
  const claims = new Int32Array(4)
  const key = post(claims, 2)
  claim(claims, key)
  const sent: unknown[] = []
  const host = { slot: 5, claims, progress: (of: number, value: unknown) => sent.push([of, value]) }
  return { claims, key, sent, context: new TaskContext(host, key, 3, wantsProgress) }
}

describe('TaskContext', () => {
  test('knows slot, attempt and key', () => {
    const { context, key } = newContext()
    expect([context.slot, context.attempt, context.key]).toEqual([5, 3, key])
  })

  test.each([
    ['asked to end', askToEnd],
    ['doomed', doom],
  ])('is aborted as soon as the task is %s, without any message', (_name, change) => {
    const { context, claims, key } = newContext()
    expect(context.aborted).toBe(false)
    change(claims, key)
    expect(context.aborted).toBe(true)
    expect(context.signal.aborted).toBe(true)
  })

  test('its signal fires with the reason that the message brings, made before or after', () => {
    const early = newContext()
    const { signal } = early.context
    let fired = 0
    signal.addEventListener('abort', () => fired++)
    early.context.abort(reason)
    const late = newContext()
    late.context.abort(reason)
    for (const { reason: given } of [signal, late.context.signal])
      expect(given).toMatchObject({ message: 'stop', code: 'X' })
    expect(fired).toBe(1)
    expect(late.context.signal).toBe(late.context.signal)
  })

  test('is not aborted once the task has ended, whoever uses its word next', () => {
    const { context, claims, key } = newContext()
    askToEnd(claims, key)
    finish(claims, key)
    context.running = false
    expect(context.aborted).toBe(false)
  })

  test('sends progress while somebody listens and the task runs', () => {
    const { context, key, sent } = newContext()
    context.progress(1)
    context.running = false
    context.progress(2)
    expect(sent).toEqual([[key, 1]])
    const deaf = newContext(false)
    deaf.context.progress(1)
    expect(deaf.sent).toEqual([])
  })
})
