import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { EventStream, MAX_CLIENTS, PERIOD_MS } from '../../src/dashboard/event-stream.js'
import { FakeClock } from '../support/fake-clock.js'

/** The part of a response that the stream uses. */
class FakeResponse extends EventEmitter {
  readonly written: string[] = []
  writableLength = 0
  status = 0
  isEnded = false

  writeHead(status: number): void {
    this.status = status
  }

  write(text: string): void {
    this.written.push(text)
  }

  end(): void {
    this.isEnded = true
  }

  destroy(): void {
    this.emit('close')
  }
}

function streamOf(clock: FakeClock) {
  let reads = 0
  const stream = new EventStream({ whole: () => 'all', next: () => ++reads }, clock)
  const join = () => {
    const response = new FakeResponse()
    return { response, joined: stream.add(response as unknown as ServerResponse) }
  }
  return { stream, join, reads: () => reads }
}

test('a client gets everything at once and then a message each period', () => {
  const clock = new FakeClock()
  const { join } = streamOf(clock)
  const { response } = join()
  expect([response.status, response.written]).toEqual([200, ['retry: 1000\ndata: "all"\n\n']])
  clock.advance(2 * PERIOD_MS)
  expect(response.written.slice(1)).toEqual(['data: 1\n\n', 'data: 2\n\n'])
})

test('however many listen, the state is read once a period; not at all when nobody does', () => {
  const clock = new FakeClock()
  const { join, reads } = streamOf(clock)
  clock.advance(10 * PERIOD_MS)
  expect([reads(), clock.timers]).toEqual([0, 0])
  const clients = [join(), join(), join()]
  clock.advance(4 * PERIOD_MS)
  expect([reads(), clock.holding]).toEqual([4, 0])
  for (const { response } of clients) response.emit('close')
  clock.advance(10 * PERIOD_MS)
  expect([reads(), clock.timers]).toEqual([4, 0])
})

test('one too many is turned away until another has left', () => {
  const { stream, join } = streamOf(new FakeClock())
  const clients = Array.from({ length: MAX_CLIENTS }, join)
  expect(clients.every(({ joined }) => joined)).toBe(true)
  const late = join()
  expect([late.joined, late.response.status, stream.clients]).toEqual([false, 0, MAX_CLIENTS])
  clients[0]!.response.emit('close')
  expect(join().joined).toBe(true)
})

test('a client that does not read is cut off, and the others are served', () => {
  const clock = new FakeClock()
  const { stream, join } = streamOf(clock)
  const [slow, quick] = [join(), join()]
  slow.response.writableLength = 2 ** 21
  clock.advance(PERIOD_MS)
  expect([stream.clients, slow.response.written.length, quick.response.written.length]).toEqual([1, 1, 2])
})

test('closing ends every connection and the timer', () => {
  const clock = new FakeClock()
  const { stream, join } = streamOf(clock)
  const clients = [join(), join()]
  stream.close()
  expect(clients.map(({ response }) => response.isEnded)).toEqual([true, true])
  expect([stream.clients, clock.timers]).toEqual([0, 0])
})
