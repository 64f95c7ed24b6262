import { describe, expect, test } from 'vitest'
import {
  type ErrorCode,
  EvenkeelError,
  isEvenkeelPrototype,
  OptionRangeError,
  OptionTypeError,
} from '../../src/base/errors.js'

describe('EvenkeelError', () => {
  test('carries its code, its data and its cause', () => {
    const cause = new Error('why')
    const error = new EvenkeelError('EVENKEEL_WORKER_EXIT', 'gone', { cause, task: 'resize', exitCode: 3, slot: 1 })
    expect(error).toMatchObject({ code: 'EVENKEEL_WORKER_EXIT', message: 'gone', task: 'resize', exitCode: 3, slot: 1 })
    expect(error.cause).toBe(cause)
    expect(error).toBeInstanceOf(Error)
  })

  test('has only the fields that were given, and a cause only when one was', () => {
    const error = new EvenkeelError('EVENKEEL_CLOSED', 'closed')
    expect(Object.keys(error).sort()).toEqual(['code', 'name', 'retryable'])
    expect('cause' in error).toBe(false)
    expect('cause' in new EvenkeelError('EVENKEEL_ABORTED', 'aborted', { cause: undefined })).toBe(true)
  })

  test.each<[ErrorCode, string]>([
    ['EVENKEEL_ABORTED', 'AbortError'],
    ['EVENKEEL_CLONE', 'DataCloneError'],
    ['EVENKEEL_TIMEOUT', 'TimeoutError'],
    ['EVENKEEL_DEADLINE', 'TimeoutError'],
    ['EVENKEEL_QUEUE_TIMEOUT', 'TimeoutError'],
    ['EVENKEEL_CLOSED', 'EvenkeelError'],
  ])('with code %s is named %s', (code, name) => {
    expect(new EvenkeelError(code, 'text').name).toBe(name)
  })

  test.each<[ErrorCode, boolean]>([
    ['EVENKEEL_QUEUE_FULL', true],
    ['EVENKEEL_QUEUE_TIMEOUT', true],
    ['EVENKEEL_LOST_WITH_WORKER', true],
    ['EVENKEEL_WORKER_EXIT', false],
    ['EVENKEEL_TIMEOUT', false],
    ['EVENKEEL_UNKNOWN_TASK', false],
  ])('with code %s is retryable: %s', (code, retryable) => {
    expect(new EvenkeelError(code, 'text').retryable).toBe(retryable)
  })
})

describe('errors of an option', () => {
  test('are of the family that fits, name the option and share one code', () => {
    const type = new OptionTypeError('workers.min', 'expected an integer')
    const range = new OptionRangeError('window', 'too large')
    expect(type).toBeInstanceOf(TypeError)
    expect(range).toBeInstanceOf(RangeError)
    expect(type).toMatchObject({ code: 'EVENKEEL_INVALID_OPTION', option: 'workers.min', retryable: false })
    expect(range).toMatchObject({ code: 'EVENKEEL_INVALID_OPTION', option: 'window', retryable: false })
    expect(type.message).toBe('workers.min: expected an integer')
  })
})

describe('isEvenkeelPrototype', () => {
  test('knows the prototype in every copy of the library, and no other', async () => {
    // The built copy has a class of its own.
    const copy = (await import('../../dist/src/base/errors.js' as string)) as { EvenkeelError: typeof EvenkeelError }
    expect(copy.EvenkeelError).not.toBe(EvenkeelError)
    expect(isEvenkeelPrototype(copy.EvenkeelError.prototype)).toBe(true)
    expect(isEvenkeelPrototype(EvenkeelError.prototype)).toBe(true)
    expect(isEvenkeelPrototype(Error.prototype)).toBe(false)
    expect(isEvenkeelPrototype(class extends EvenkeelError {}.prototype)).toBe(false)
  })
})
