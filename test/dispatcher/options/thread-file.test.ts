import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { resolveOptions } from '../../../src/dispatcher/options/options.js'
import { threadFileOf } from '../../../src/dispatcher/options/thread-file.js'

const here = fileURLToPath(import.meta.url)

describe('the thread file', () => {
  test('is with evenkeel unless it is said', () => {
    expect(threadFileOf(undefined)).toBeUndefined()
    expect(resolveOptions({ module: '/tasks.js' }).thread.threadFile).toBeUndefined()
  })

  test.each([here, pathToFileURL(here), pathToFileURL(here).href])('is given as %s', (value) => {
    expect(threadFileOf(value)).toBe(here)
    expect(resolveOptions({ module: '/tasks.js', threadFile: value }).thread.threadFile).toBe(here)
  })

  test.each([5, null, '', {}, './thread.cjs', 'evenkeel/thread', new URL('data:,')])('cannot be %s', (value) => {
    const refusal = { name: 'TypeError', code: 'EVENKEEL_INVALID_OPTION', option: 'threadFile' }
    expect(() => threadFileOf(value)).toThrow(expect.objectContaining(refusal))
    expect(() => threadFileOf(value)).toThrow("new URL('./thread.cjs', import.meta.url)")
  })

  test('has to be there', () => {
    const refusal = { name: 'RangeError', code: 'EVENKEEL_INVALID_OPTION', option: 'threadFile' }
    expect(() => threadFileOf('/nowhere/thread.cjs')).toThrow(expect.objectContaining(refusal))
    expect(() => threadFileOf('/nowhere/thread.cjs')).toThrow('/nowhere/thread.cjs does not exist')
  })
})
