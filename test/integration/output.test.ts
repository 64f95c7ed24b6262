import { describe, expect, test } from 'vitest'
import { Dispatcher, type OutputEvent } from '../../src/index.js'
import { caseTest } from '../support/case-host.js'
import { errorOf, fixtureUrl, within } from '../support/outcome.js'

const LIMIT_MS = 20_000
const chatty = { module: fixtureUrl('chatty.mjs'), stdio: 'capture' as const }

const textOf = (events: readonly OutputEvent[]) => events.map(({ text }) => text).join('')
const lines = (count: number) => Array.from({ length: count }, (_, line) => `line ${line}\n`).join('')

describe('captured output', () => {
  caseTest('is all there before the answer, with worker and task', async ({ brokenPool }) => {
    const pool = brokenPool({ ...chatty, workers: 2 })
    const heard: OutputEvent[] = []
    pool.on('output', (event) => heard.push(event))
    await within(LIMIT_MS, pool.run('print', 3_000))
    expect(textOf(heard)).toBe(lines(3_000))
    const threads = pool.snapshot().workers.map(({ threadId }) => threadId)
    for (const { slot, threadId, stream, task } of heard) {
      expect([stream, task, threads[slot]]).toEqual(['stdout', 'print', threadId])
    }
  })

  caseTest('of a task that ends its thread is there before the error', async ({ brokenPool }) => {
    const pool = brokenPool(chatty)
    const heard: OutputEvent[] = []
    pool.on('output', (event) => heard.push(event))
    await errorOf(LIMIT_MS, pool.run('printAndExit', 200))
    expect(textOf(heard)).toBe(lines(200))
  })

  caseTest('that nobody listens to is dropped', async ({ brokenPool }) => {
    await within(LIMIT_MS, brokenPool(chatty).run('print', 10))
  })
})

test('where output goes is checked', () => {
  const make = () => new Dispatcher({ module: '/nowhere.mjs', stdio: 'ignore' as never })
  expect(make).toThrow(expect.objectContaining({ option: 'stdio' }))
})
