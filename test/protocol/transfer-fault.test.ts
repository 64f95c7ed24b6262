import { open } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { findTransferFault, isMovable } from '../../src/protocol/transfer-fault.js'

test('a list of what can be moved has no fault', async () => {
  const file = await open('/dev/null')
  const { port1 } = new MessageChannel()
  const list = [new ArrayBuffer(1), port1, new ReadableStream(), new WritableStream(), new TransformStream(), file]
  expect(findTransferFault(list, 'whatever')).toBeUndefined()
  expect(list.map(isMovable)).toEqual(list.map(() => true))
  port1.close()
  await file.close()
})

test('names the first that cannot, and what to name instead of a view', () => {
  expect(findTransferFault([new ArrayBuffer(1), new Blob([]), 5], '')).toEqual({
    path: 'transfer[1]',
    reason: 'a Blob is not transferable',
  })
  expect(findTransferFault([new Uint8Array(1)], '')?.reason).toContain('name its buffer')
})

test('a port that Node refuses is named where it is the only one', () => {
  const reason = 'MessagePort in transfer list is already detached'
  const { port1, port2 } = new MessageChannel()
  expect(findTransferFault([new ArrayBuffer(1), port1], reason)).toEqual({ path: 'transfer[1]', reason })
  expect(findTransferFault([port1, port2], reason)).toEqual({ path: 'transfer', reason })
  port1.close()
})

test('hostile objects are no reason to throw', () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  expect(findTransferFault([proxy], '')?.path).toBe('transfer[0]')
})
