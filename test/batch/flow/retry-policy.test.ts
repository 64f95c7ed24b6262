import { describe, expect, test } from 'vitest'
import { EvenkeelError } from '../../../src/base/errors.js'
import { RetryPolicy } from '../../../src/batch/flow/retry-policy.js'
import { NO_RETRIES } from '../../../src/batch/options/map-options.js'

const policy = (times: number, random = () => 0.5) =>
  new RetryPolicy({ times, delayMs: 100, factor: 3, jitter: 0.5 }, random)

describe('retries', () => {
  test('are as many as asked, each later than the one before', () => {
    const retries = policy(3)
    const delays = [1, 2, 3, 4].map((attempts) => retries.delayMs(new Error('x'), attempts))
    expect(delays).toEqual([100, 300, 900, undefined])
  })

  test('are spread at random around their time', () => {
    expect(policy(1, () => 0).delayMs(new Error('x'), 1)).toBe(75)
    expect(policy(1, () => 0.999999).delayMs(new Error('x'), 1)).toBeCloseTo(125, 3)
  })

  test('are not made for what cannot be mended', () => {
    for (const code of ['EVENKEEL_CLONE', 'EVENKEEL_MODULE_LOAD', 'EVENKEEL_POISON', 'EVENKEEL_ABORTED'] as const) {
      expect(policy(5).delayMs(new EvenkeelError(code, 'x'), 1)).toBeUndefined()
    }
    expect(policy(5).delayMs(Object.assign(new Error('x'), { retryable: false }), 1)).toBeUndefined()
    expect(policy(5).delayMs(null, 1)).toBe(100)
  })

  test('come free for a record that lost its worker, but not for ever', () => {
    const retries = new RetryPolicy(NO_RETRIES, () => 0.5)
    const lost = new EvenkeelError('EVENKEEL_LOST_WITH_WORKER', 'x')
    expect(retries.delayMs(lost, 1)).toBe(0)
    expect(retries.delayMs(lost, 6)).toBeUndefined()
    expect(retries.delayMs(new EvenkeelError('EVENKEEL_WORKER_EXIT', 'x'), 1)).toBeUndefined()
  })
})
