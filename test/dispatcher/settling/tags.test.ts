import { expect, test } from 'vitest'
import { Tags } from '../../../src/dispatcher/settling/tags.js'
import { newTasks } from '../../support/new-task.js'

test('tasks are found by their tag in the order in which they came', () => {
  const tags = new Tags()
  const [first, second, other] = newTasks(3)
  tags.add('a', first!)
  tags.add('b', other!)
  tags.add('a', second!)
  expect(tags.of('a')).toEqual([first, second])
  expect(tags.of('b')).toEqual([other])
  expect(tags.of('c')).toEqual([])
})

test('a tag is forgotten with its last task', () => {
  const tags = new Tags()
  const [first, second] = newTasks(2)
  tags.add('a', first!)
  tags.add('a', second!)
  tags.remove('a', first!)
  expect([tags.of('a'), tags.size]).toEqual([[second], 1])
  tags.remove('a', second!)
  tags.remove('a', second!)
  expect(tags.size).toBe(0)
})
