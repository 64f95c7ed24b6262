import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { type HttpLoadResult, runHttpLoad } from '../../../bench/server/http-load.js'

interface Seen {
  readonly result: HttpLoadResult
  readonly phases: string[]
  readonly connections: number
}

/** A short load of four connections, with a stall, on a server that answers with `listener`. */
async function underLoad(listener: RequestListener, perConnectionPerSecond?: number): Promise<Seen> {
  const phases: string[] = []
  let connections = 0
  const server = createServer((request, response) => {
    if (request.url !== '/stall') return listener(request, response)
    phases.push('stall')
    connections = sockets.size
    response.statusCode = 202
    return response.end()
  })
  const sockets = new Set<unknown>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const result = await runHttpLoad(
    {
      port,
      connections: 4,
      ...(perConnectionPerSecond === undefined ? {} : { perConnectionPerSecond }),
      warmUpMs: 1_100,
      measuredMs: 1_000,
      stallAtMs: 500,
      seed: 1,
    },
    (name) => phases.push(name),
  )
  await new Promise((resolve) => server.close(resolve))
  return { result, phases, connections }
}

// Each waits for the seconds of its load, so they run side by side.
describe.concurrent('HTTP load', () => {
  test('keeps to the rate and the mix, and asks for the stall within the measured time', async () => {
    const { result, phases, connections } = await underLoad((_, response) => response.end('ok'), 10)
    expect(phases).toEqual(['measuring', 'stall', 'measured'])
    // Those of the load, and the one that asks for the stall.
    expect(connections).toBe(5)
    const { answered, failed } = result
    expect(failed).toBe(0)
    // A connection's second that begins a little late leaves its requests to the next measured time.
    expect(answered.length).toBeGreaterThanOrEqual(20)
    expect(answered.length).toBeLessThanOrEqual(80)
    const ioShare = answered.filter(({ kind }) => kind === 'io').length / answered.length
    // One in five of each burst; the ends of the measured time may cut one in two.
    expect(ioShare).toBeGreaterThan(0.1)
    expect(ioShare).toBeLessThan(0.3)
    expect(answered.every(({ sentMs, latencyMs }) => sentMs >= 0 && sentMs < 1_000 && latencyMs >= 0)).toBe(true)
  })

  test('counts every answer that is no success', async () => {
    let refused = 0
    const { result } = await underLoad((request, response) => {
      response.statusCode = request.url === '/io' ? 503 : 200
      if (request.url === '/io') refused++
      response.end()
    }, 10)
    expect(result.failed).toBeGreaterThan(0)
    expect(result.failed).toBeLessThanOrEqual(refused)
    // The answer that each connection waited for when the load ended may be missing.
    expect(refused - result.failed).toBeLessThanOrEqual(4)
  })

  test('without a rate asks for the next answer when it has the last', async () => {
    const { result } = await underLoad((_, response) => setTimeout(() => response.end('ok'), 5))
    // At the rate above there would be forty.
    expect(result.answered.length).toBeGreaterThan(80)
    expect(result.failed).toBe(0)
  })
})
