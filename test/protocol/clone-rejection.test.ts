import { describe, expect, test } from 'vitest'
import { EvenkeelError } from '../../src/base/errors.js'
import { cloneRejection } from '../../src/protocol/clone-rejection.js'

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

  test('because it is nested too deeply rejects with a RangeError of the same code', () => {
    let deep: unknown = 0
    for (let depth = 0; depth < 50_000; depth++) deep = [deep]
    const error = rejectionOf(deep)
    expect(error).toBeInstanceOf(RangeError)
    expect(error).toMatchObject({ code: 'EVENKEEL_CLONE', path: 'payload', task: 'resize', retryable: false })
  })

  test.each([new Error('mine'), new RangeError('mine too'), null, undefined, 'text'])(
    'because its getter threw rejects with what that threw: %s',
    (thrown) => {
      expect(rejectionOf(throwing(thrown))).toBe(thrown)
    },
  )
})
