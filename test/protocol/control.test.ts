import { expect, test } from 'vitest'
import { SETTINGS_KEY } from '../../src/protocol/control.js'

test('settings travel in workerData under a name that no user data has by chance', () => {
  expect(SETTINGS_KEY).toMatch(/^evenkeel:/)
  const workerData = {
    [SETTINGS_KEY]: { slot: 0, moduleUrl: 'file:///tasks.js', ioWindow: 1, depth: 0 },
    user: { slot: 9 },
  }
  expect(structuredClone(workerData)).toEqual(workerData)
})
