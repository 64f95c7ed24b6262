import { expect, test } from 'vitest'
import { decodeError } from '../../src/protocol/error-transfer.js'
import { unreadableFault, unreadableWire } from '../../src/protocol/unreadable.js'

test('a value that could not be read looks like one that could not be written', () => {
  const fault = unreadableFault(new RangeError('stack'), 'worker')
  expect([fault.name, fault.message]).toEqual(['DataCloneError', 'the worker could not read it: stack'])
  expect(unreadableFault(undefined, 'caller').message).toBe("the caller's thread could not read it")
})

test('travels as the error that its task rejects with', () => {
  expect(decodeError(unreadableWire('item', new RangeError('stack')))).toMatchObject({
    name: 'DataCloneError',
    code: 'EVENKEEL_CLONE',
    path: 'item',
    message: "item cannot be cloned: the caller's thread could not read it: stack",
  })
})
