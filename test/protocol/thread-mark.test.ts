import { afterEach, describe, expect, test } from 'vitest'
import { markThread, threadMark } from '../../src/protocol/thread-mark.js'

afterEach(() => {
  Reflect.deleteProperty(globalThis, Symbol.for('evenkeel.thread'))
})

describe('threadMark', () => {
  test('is undefined outside the threads of evenkeel', () => {
    expect(threadMark()).toBeUndefined()
  })

  test('tells the depth, and that the module is being loaded until the entry says otherwise', () => {
    const mark = markThread(2)
    expect(threadMark()).toEqual({ depth: 2, loading: true })
    mark.loading = false
    expect(threadMark()).toEqual({ depth: 2, loading: false })
  })

  test('is seen by every copy of the library in the thread', () => {
    const mark = { depth: 1, loading: false }
    Object.assign(globalThis, { [Symbol.for('evenkeel.thread')]: mark })
    expect(threadMark()).toBe(mark)
  })
})
