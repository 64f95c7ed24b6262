import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isAlive, parseOwner, thisOwner } from '../../../src/batch/journal/lock-owner.js'

test('an owner is read as it was written, and nothing else is one', () => {
  const owner = thisOwner()
  expect(parseOwner(JSON.stringify(owner))).toEqual(owner)
  expect(thisOwner().id).not.toBe(owner.id)
  for (const text of ['', '{', 'null', '{"pid":1}', JSON.stringify({ ...owner, pid: 1.5 })]) {
    expect(parseOwner(text)).toBeUndefined()
  }
})

test('what the kernel knows is told of owners of the same boot and namespaces alone', () => {
  if (!existsSync('/proc/self/ns/pid')) return
  const self = thisOwner()
  expect(isAlive(self, self)).toBe(true)
  expect(isAlive({ ...self, started: '1' }, self)).toBe(false)
  expect(isAlive({ ...self, pid: 4_194_304 }, self)).toBe(false)
  expect(isAlive({ ...self, space: 'elsewhere' }, self)).toBeUndefined()
  expect(isAlive({ ...self, space: '' }, { ...self, space: '' })).toBeUndefined()
})
