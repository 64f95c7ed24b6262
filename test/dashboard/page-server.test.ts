import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EventLog } from '../../src/dashboard/event-log.js'
import { EventStream, MAX_CLIENTS } from '../../src/dashboard/event-stream.js'
import { answer, hostNames, isLoopback, refusalOf, SAFE_HEADERS } from '../../src/dashboard/page-server.js'
import { PoolState } from '../../src/dashboard/pool-state.js'
import { PoolMetrics } from '../../src/metrics/metrics.js'
import { FakeObservedPool, snapshotWith, taskOf, workerOf } from '../metrics/observed.js'
import { FakeClock } from '../support/fake-clock.js'

const clock = new FakeClock()
const pool = new FakeObservedPool()
const metrics = new PoolMetrics(pool, 'p', 8_000, undefined, clock)
const state = new PoolState('p', metrics, new EventLog(pool, clock), clock)
const stream = new EventStream(state, clock)
const files = new Map([['/', { contentType: 'text/html', body: Buffer.from('<p>page') }]])
const server = createServer((incoming, response) =>
  answer(incoming, response, { files, state, stream, metrics, hostNames: new Set(['pool.test']) }),
)
let port: number

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  metrics.close()
  stream.close()
  server.closeAllConnections()
  server.close()
})

interface Got {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, path, method, headers: { host: 'pool.test', ...headers } }, async (response) => {
      let body = ''
      for await (const chunk of response) body += chunk
      resolve({ status: response.statusCode!, headers: response.headers, body })
    })
    sent.on('error', reject).end()
  })
}

describe('the server of the page', () => {
  test('serves the page under a strict policy, whatever the query', async () => {
    const { status, headers, body } = await get('/?a=1')
    expect([status, body]).toEqual([200, '<p>page'])
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test.each(['/../package.json', '/%2e%2e/package.json', '/page', '//', '/index.html/'])(
    'has nothing at %s',
    async (path) => {
      expect((await get(path)).status).toBe(404)
    },
  )

  test('answers nobody who calls it by another name, and says nothing of the pool', async () => {
    for (const path of ['/', '/api/state', '/api/stream', '/metrics', '/healthz', '/readyz']) {
      expect(await get(path, { host: 'evil.example' })).toMatchObject({ status: 403, body: '' })
    }
  })

  test('is read-only', async () => {
    expect(await get('/api/state', {}, 'POST')).toMatchObject({ status: 405, headers: { allow: 'GET' } })
  })

  test('tells the state as JSON and the metrics in the format asked for', async () => {
    pool.current = snapshotWith({ completed: 42 })
    pool.tasks = [taskOf('a', 42)]
    expect(JSON.parse((await get('/api/state')).body)).toMatchObject({ name: 'p', completed: 42 })
    const plain = await get('/metrics')
    expect(plain.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(plain.body).toContain('evenkeel_tasks_completed_total{pool="p",task="a",outcome="ok"} 42')
    const open = await get('/metrics', { accept: 'application/openmetrics-text;version=1.0.0' })
    expect(open.body.endsWith('# EOF\n')).toBe(true)
  })

  test('is unwell only while the pool makes no progress, and not ready while it should get no work', async () => {
    pool.current = snapshotWith({ workers: [workerOf(0, { state: 'stalled' })], stuckMs: 1_000 })
    expect((await get('/healthz')).status).toBe(200)
    const unready = await get('/readyz')
    expect([unready.status, JSON.parse(unready.body)]).toEqual([503, { status: 'stalled', ready: 0 }])
    pool.current = snapshotWith({ workers: [workerOf(0, { state: 'stalled' })], stuckMs: 31_000 })
    const { status, body } = await get('/healthz')
    expect([status, JSON.parse(body)]).toEqual([503, { status: 'stuck', workers: 1, stalled: 1, stuckMs: 31_000 }])
    pool.current = snapshotWith()
    expect((await get('/readyz')).status).toBe(200)
  })

  test('turns away the client after the last that it has room for', async () => {
    const open = Array.from({ length: MAX_CLIENTS }, () => {
      const sent = request({ port, path: '/api/stream', headers: { host: 'pool.test' } })
      const connected = new Promise((resolve) => sent.on('response', resolve))
      sent.on('error', () => {}).end()
      return { sent, connected }
    })
    await Promise.all(open.map(({ connected }) => connected))
    expect((await get('/api/stream')).status).toBe(503)
    for (const { sent } of open) sent.destroy()
  })
})

const allowed = hostNames('127.0.0.1', 8_080)

describe('requests', () => {
  test.each(['127.0.0.1:8080', 'localhost:8080', 'LocalHost:8080', '[::1]:8080'])('to %s are answered', (host) =>
    expect(refusalOf('GET', host, allowed)).toBeUndefined(),
  )

  test.each(['evil.example:8080', '127.0.0.1', '127.0.0.1:8081', 'localhost.evil.example:8080', '', undefined])(
    'to %s are refused',
    (host) => expect(refusalOf('GET', host, allowed)).toBe(403),
  )

  test.each(['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', undefined])('with method %s are refused', (method) =>
    expect(refusalOf(method, 'localhost:8080', allowed)).toBe(405),
  )

  test('on port 80 may leave the port out', () => {
    expect(refusalOf('GET', 'localhost', hostNames('127.0.0.1', 80))).toBeUndefined()
  })

  test('to another loopback address are answered under it', () => {
    expect(refusalOf('GET', '127.0.0.2:8080', hostNames('127.0.0.2', 8_080))).toBeUndefined()
  })
})

test('loopback addresses are told from all others', () => {
  const hosts = ['127.0.0.1', '127.255.0.1', '::1', 'localhost', '0.0.0.0', '::', '10.0.0.1', '127.evil.example', '']
  expect(hosts.filter(isLoopback)).toEqual(['127.0.0.1', '127.255.0.1', '::1', 'localhost'])
})

test('the policy lets nothing in from elsewhere and no script from the page itself', () => {
  const policy = SAFE_HEADERS['content-security-policy']!
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/unsafe|\*|https?:/)
})
