import { expect, test, vi } from 'vitest'
import { loadPidusage, loadPQueue } from '../../src/base/packages.js'

test('packages are loaded', async () => {
  const queue = new (await loadPQueue())({ concurrency: 1 })
  expect(await queue.add(async () => 1)).toBe(1)
  expect(await (await loadPidusage())(process.pid)).toMatchObject({ pid: process.pid })
})

test('where import is refused, they are required', async () => {
  vi.doMock('p-queue', () => {
    throw new TypeError('A dynamic import callback was invoked without --experimental-vm-modules')
  })
  vi.doMock('pidusage', () => {
    throw new TypeError('A dynamic import callback was invoked without --experimental-vm-modules')
  })
  expect(await loadPQueue()).toBeTypeOf('function')
  expect(await loadPidusage()).toBeTypeOf('function')
  vi.doUnmock('p-queue')
  vi.doUnmock('pidusage')
})
