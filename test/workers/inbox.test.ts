import { describe, expect, test } from 'vitest'
import { CPU_BATCH, type TaskBatch } from '../../src/protocol/batch.js'
import { Inbox } from '../../workers/inbox.js'

const batchOf = (...keys: number[]): TaskBatch => [
  undefined,
  CPU_BATCH,
  ...keys.flatMap((key) => [key, key * 10, `payload ${key}`]),
]

function drain(inbox: Inbox): unknown[][] {
  const read: unknown[][] = []
  while (inbox.next()) read.push([inbox.key, inbox.head, inbox.takePayload()])
  return read
}

describe('Inbox', () => {
  test('gives the tasks of all batches in order', () => {
    const inbox = new Inbox()
    inbox.push(batchOf(1, 2))
    inbox.push(batchOf(3))
    expect(inbox.size).toBe(3)
    expect(drain(inbox)).toEqual([1, 2, 3].map((key) => [key, key * 10, `payload ${key}`]))
    expect(inbox.size).toBe(0)
    expect(inbox.next()).toBe(false)
  })

  test('takes more while it is read', () => {
    const inbox = new Inbox()
    inbox.push(batchOf(1, 2))
    inbox.next()
    inbox.push(batchOf(3))
    inbox.next()
    inbox.push(batchOf(4, 5))
    expect(inbox.size).toBe(3)
    expect(drain(inbox).map(([key]) => key)).toEqual([3, 4, 5])
  })

  test('gives a payload once and keeps neither it nor its place in the batch', () => {
    const inbox = new Inbox()
    const batch = batchOf(1, 2)
    inbox.push(batch)
    inbox.next()
    expect(inbox.takePayload()).toBe('payload 1')
    expect(inbox.takePayload()).toBeUndefined()
    expect(batch).not.toContain('payload 1')
    expect(batch).toContain('payload 2')
  })
})
