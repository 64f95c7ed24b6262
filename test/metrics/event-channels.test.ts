import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, test } from 'vitest'
import { OptionTypeError } from '../../src/base/errors.js'
import { publishEvents } from '../../src/metrics/event-channels.js'
import { FakeObservedPool } from './observed.js'

const stall = { slot: 2, threadId: 7, task: 'spin', runningMs: 300, silentMs: 290 }

test('subscribers of a channel get the event with the name of its pool', () => {
  const pool = new FakeObservedPool()
  const publication = publishEvents(pool, { name: 'thumbs' })
  const heard: unknown[] = []
  const listener = (message: unknown, channel: string | symbol) => heard.push([channel, message])
  const names = ['evenkeel:worker:stall', 'evenkeel:queue:drain']
  for (const name of names) subscribe(name, listener)
  pool.emit('stall', stall)
  pool.emit('drain')
  for (const name of names) unsubscribe(name, listener)
  pool.emit('drain')
  publication.close()
  expect(heard).toEqual([
    ['evenkeel:worker:stall', { pool: 'thumbs', ...stall }],
    ['evenkeel:queue:drain', { pool: 'thumbs' }],
  ])
})

test('a message is made only for someone: without subscribers, no event is looked at', () => {
  const pool = new FakeObservedPool()
  const publication = publishEvents(pool)
  const unread = new Proxy(stall, {
    ownKeys: () => {
      throw new Error('read')
    },
  })
  expect(() => pool.emit('stall', unread)).not.toThrow()
  publication.close()
})

test('it does not listen to errors, and leaves no listener when closed', () => {
  const pool = new FakeObservedPool()
  const publication = publishEvents(pool)
  expect(pool.listenerCount('error')).toBe(0)
  expect(pool.listening).toBe(7)
  publication.close()
  expect(pool.listening).toBe(0)
})

test('unknown options are refused', () => {
  expect(() => publishEvents(new FakeObservedPool(), { nmae: 'x' } as never)).toThrow(OptionTypeError)
})
