import { MessageChannel } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { isTransferred, refuseDetached, transfer } from '../../src/protocol/transfer.js'
import { transfer as published } from '../../src/task.js'

describe('transfer', () => {
  test('marks a value together with what is moved', () => {
    const { buffer } = new Uint8Array(4)
    const marked = transfer({ buffer }, [buffer])
    expect(isTransferred(marked)).toBe(true)
    expect(marked.value).toEqual({ buffer })
    expect(marked.list).toEqual([buffer])
  })

  test('is known whichever copy of the module made the mark', () => {
    const foreign = { [Symbol.for('evenkeel.transferred')]: true, value: 1, list: [] }
    expect(isTransferred(foreign)).toBe(true)
    expect(isTransferred(published(1, []))).toBe(true)
  })

  test.each([null, undefined, 1, 'x', {}, [], { value: 1, list: [] }, () => 1])(
    'nothing else is taken for it: %s',
    (value) => {
      expect(isTransferred(value)).toBe(false)
    },
  )
})

test('transfer refuses a list that is none', () => {
  for (const list of [undefined, new ArrayBuffer(1), 'text'] as unknown as []) {
    expect(() => transfer(1, list)).toThrow(
      expect.objectContaining({ code: 'EVENKEEL_INVALID_OPTION', option: 'list' }),
    )
  }
})

describe('refuseDetached', () => {
  test('refuses a buffer that was moved, whatever its size was', () => {
    for (const bytes of [0, 1, 1024]) {
      const { buffer } = new Uint8Array(bytes)
      expect(() => refuseDetached([buffer])).not.toThrow()
      structuredClone(buffer, { transfer: [buffer] })
      expect(() => refuseDetached([buffer])).toThrow(expect.objectContaining({ name: 'DataCloneError' }))
    }
  })

  test('lets everything else pass, and no list at all', () => {
    const { port1, port2 } = new MessageChannel()
    expect(() => refuseDetached([port1, port2, new ArrayBuffer(0)])).not.toThrow()
    expect(() => refuseDetached()).not.toThrow()
    port1.close()
  })
})
