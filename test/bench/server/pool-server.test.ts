import { describe, expect, test } from 'vitest'
import type { Contender } from '../../../bench/contenders/contender.js'
import { openPoolServer, type ServerWork } from '../../../bench/server/pool-server.js'
import type { Work } from '../../../bench/tasks.js'

const work: ServerWork = {
  cpu: { kind: 'parked', ms: 2 },
  io: { kind: 'timer', ms: 10 },
  stall: { kind: 'parked', ms: 1_000 },
}

/** A pool that runs nothing and notes what it was asked for; the stall is open until `endStall` is called. */
function madeUpPool(fails = false) {
  const asked: [string, unknown][] = []
  let endStall = (): void => {}
  const pool: Contender = {
    run: (task, payload) => {
      asked.push([task, payload])
      if (fails) return Promise.reject(new Error('no'))
      const { ms } = payload as Work
      const trace = [7, 100, 100 + ms]
      if (payload !== work.stall) return Promise.resolve(trace)
      return new Promise((resolve) => {
        endStall = () => resolve(trace)
      })
    },
    close: async () => {},
  }
  return { pool, asked, endStall: () => endStall() }
}

async function request(port: number, path: string): Promise<[number, string]> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  return [response.status, await response.text()]
}

describe('server of the comparison', () => {
  test('makes a task of each request and answers with its result', async () => {
    const { pool, asked } = madeUpPool()
    const server = await openPoolServer(pool, work)
    expect(await request(server.port, '/cpu')).toEqual([200, 'done by 7'])
    expect(await request(server.port, '/io')).toEqual([200, 'done by 7'])
    expect((await request(server.port, '/else'))[0]).toBe(404)
    expect(asked).toEqual([
      ['hold', work.cpu],
      ['nap', work.io],
    ])
    expect(server.failedTasks()).toBe(0)
    await server.close()
  })

  test('answers the request for a stall before the stall is over', async () => {
    const { pool, endStall } = madeUpPool()
    const server = await openPoolServer(pool, work)
    expect((await request(server.port, '/stall'))[0]).toBe(202)
    expect([server.openRequests(), server.stalledMs()]).toEqual([1, 0])
    endStall()
    // Another request's answer comes after what the stall's promise has set off.
    await request(server.port, '/cpu')
    expect([server.openRequests(), server.stalledMs()]).toEqual([0, 1_000])
    await server.close()
  })

  test('answers with 500 when the pool rejects, and counts it', async () => {
    const server = await openPoolServer(madeUpPool(true).pool, work)
    expect(await request(server.port, '/cpu')).toEqual([500, 'failed'])
    expect(server.failedTasks()).toBe(1)
    await server.close()
  })
})
