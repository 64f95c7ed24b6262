import { expect, test } from 'vitest'
import { isMoved } from '../../src/engine/lane-task.js'
import { PlainTask } from './lane-tasks.js'

test('isMoved is true for a task whose transfer list names something', () => {
  const { buffer } = new Uint8Array(1)
  expect(isMoved(new PlainTask({ transfer: [buffer] }))).toBe(true)
  expect(isMoved(new PlainTask({ transfer: [] }))).toBe(false)
  expect(isMoved(new PlainTask())).toBe(false)
})
