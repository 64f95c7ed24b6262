import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
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

/** Names that monitoring of pools asks for, and the channel that tells it. */
const WANTED: readonly (readonly [wanted: string, found: string])[] = [
  ['evenkeel:task:submit', 'evenkeel:task:submit'],
  ['evenkeel:task:settle', 'evenkeel:task:settle'],
  ['evenkeel:task:retry', 'evenkeel:task:retry'],
  ['evenkeel:worker:online', 'evenkeel:worker:online'],
  ['evenkeel:worker:stall', 'evenkeel:worker:stall'],
  ['evenkeel:worker:recover', 'evenkeel:worker:recover'],
  ['evenkeel:worker:exit', 'evenkeel:worker:exit'],
  // An exit whose `reason` is `recycle`, and the restart that follows it.
  ['evenkeel:worker:recycle', 'evenkeel:worker:restart'],
  ['evenkeel:queue:saturated', 'evenkeel:queue:saturated'],
  ['evenkeel:queue:drained', 'evenkeel:queue:drain'],
]

/**
 * Not told: `evenkeel:task:start`, for the dispatcher learns of a start with the answer; `evenkeel:worker:suspect`, a
 * state of some ms that settles nothing and is in every snapshot; `evenkeel:dispatch`, once per task, where
 * `dispatch_total` counts; leases of a queue, which there is none of; and tracing channels, experimental in Node 20.
 */
test.each(WANTED)('what %s stands for is told on %s, which the guide names', (_, found) => {
  const guide = readFileSync(new URL('../../docs/embed.md', import.meta.url), 'utf8')
  // `a:b`, `:c` names two channels.
  const named = new Set<string>()
  let group = ''
  for (const [, prefix, last] of guide.matchAll(/`(evenkeel:\w+)?:(\w+)`/g)) {
    group = prefix ?? group
    named.add(`${group}:${last}`)
  }
  expect(named).toContain(found)
})
