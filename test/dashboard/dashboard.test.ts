import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { OptionRangeError, OptionTypeError } from '../../src/base/errors.js'
import { dashboard } from '../../src/dashboard/dashboard.js'
import type { DashboardState } from '../../src/dashboard/pool-state.js'
import { Dispatcher } from '../../src/index.js'
import { FakeObservedPool } from '../metrics/observed.js'
import { runHost } from '../support/host-script.js'

const module = new URL('../integration/tasks.mjs', import.meta.url)

describe('a dashboard', () => {
  test('streams what a real pool does, and is not ready while its only worker is stalled', async () => {
    const pool = new Dispatcher({ module, workers: 1, stallUnknownMs: 250 })
    const served = await dashboard(pool, { name: 'real' })
    await pool.run('noop', 1)
    const response = await fetch(`${served.url}api/stream`)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const stalled = new Promise((resolve) => pool.once('stall', resolve))
    const block = pool.run('parkFor', 2_000)
    await stalled
    expect((await fetch(`${served.url}healthz`)).status).toBe(200)
    expect((await fetch(`${served.url}readyz`)).status).toBe(503)

    let text = ''
    const states = () => [...text.matchAll(/^data: (.*)\n\n/gm)].map(([, json]): DashboardState => JSON.parse(json!))
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      if (states().some(({ events }) => events.some(({ kind }) => kind === 'stall'))) break
    }
    expect(states()[0]).toMatchObject({ name: 'real', completed: 1 })
    expect(states().at(-1)!.workers[0]).toMatchObject({ state: 'stalled', stalls: 1 })
    await block
    await served.close()
    await pool.close()
  })

  test('calls a pool that runs long tasks well and ready, with no history as with one', async () => {
    const pool = new Dispatcher({ module, workers: 2 })
    const served = await dashboard(pool)
    let stalls = 0
    pool.on('stall', () => stalls++)
    const calls = Array.from({ length: 6 }, () => pool.run('parkFor', 700))
    await new Promise((resolve) => setTimeout(resolve, 500))
    const answers = await Promise.all(['healthz', 'readyz'].map((path) => fetch(served.url + path)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    await Promise.all(calls)
    expect([stalls, pool.snapshot().stuckMs]).toEqual([0, 0])
    await served.close()
    await pool.close()
  })

  test('leaves nothing behind: no listener, and its port is free', async () => {
    const pool = new FakeObservedPool()
    const served = await dashboard(pool)
    const reader = (await fetch(`${served.url}api/stream`)).body!.getReader()
    await reader.read()
    expect(served.close()).toBe(served.close())
    await served.close()
    expect(pool.listening).toBe(0)
    const again = await dashboard(pool, { port: served.port })
    expect(again.port).toBe(served.port)
    await again.close()
    await reader.cancel().catch(() => {})
  })

  test('never holds the process, with a page open neither', async () => {
    const { exitCode, stdout, stderr } = await runHost(new URL('./dashboard-host.mjs', import.meta.url))
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: 'ran\ntrue\nlistening\n', stderr: '' })
  })

  test('rejects when the port is taken, and watches nothing then', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const pool = new FakeObservedPool()
    const { port } = taken.address() as AddressInfo
    await expect(dashboard(pool, { port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect(pool.listening).toBe(0)
    taken.close()
  })

  test.each([
    [{ prot: 1 }, OptionTypeError],
    [{ port: '80' }, OptionTypeError],
    [{ port: 65_536 }, OptionRangeError],
    [{ name: 1 }, OptionTypeError],
    [{ host: '0.0.0.0' }, OptionRangeError],
    [{ host: 'example.org' }, OptionRangeError],
  ])('refuses %o', async (options, kind) => {
    await expect(dashboard(new FakeObservedPool(), options as never)).rejects.toThrow(kind)
  })
})
