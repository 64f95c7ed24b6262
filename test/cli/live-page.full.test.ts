import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DashboardState } from '../../src/dashboard/pool-state.js'
import { atUrl, CliFolder, feedUntil, numberedLines } from './cli-process.js'

let folder: CliFolder
beforeAll(() => {
  folder = new CliFolder()
})
afterAll(() => folder.remove())

/** The first state of the page's stream in which a record runs. */
async function runningState(url: string): Promise<DashboardState> {
  const response = await fetch(`${url}api/stream`)
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const states = [...text.matchAll(/^data: (.*)\n\n/gm)].map(([, json]): DashboardState => JSON.parse(json!))
    const found = states.find(({ running }) => running > 0)
    if (found !== undefined) return found
  }
  throw new Error('the stream ended before a record ran')
}

describe('--dashboard', () => {
  test.each(['plain', 'none', 'bar'])(
    'serves the page while records are under way, and ends with the run (%s)',
    async (mode) => {
      let looked: Promise<[string, DashboardState]> | undefined
      let served = ''
      // Records keep coming until the page was seen while one ran.
      const result = await folder.map('nap', ['-j', '2', '--progress', mode, '--dashboard'], {
        during: (child) => {
          atUrl(child, (url) => {
            served = url
            const page = fetch(url).then((response) => response.text())
            looked = Promise.all([page, runningState(url)])
            feedUntil(child, looked)
          })
        },
      })
      const [page, state] = await looked!
      expect(page).toContain('<title>')
      expect(state).toMatchObject({ name: 'evenkeel map', workers: [{ slot: 0 }, { slot: 1 }] })
      expect(result.code).toBe(0)
      expect(result.stderr).toContain(`ok=${result.stdout.trim().split('\n').length} failed=0`)
      expect(result.stderr.split(served)).toHaveLength(2)
      await expect(fetch(served)).rejects.toThrow()
    },
  )

  test('is told as an event among progress in JSON', async () => {
    const { code, stderr } = await folder.map('echo', ['--progress', 'json', '--dashboard'], {
      input: numberedLines(2),
    })
    expect(code).toBe(0)
    const events = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events[0]).toEqual({ type: 'dashboard', url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/) })
    expect(events.at(-1)).toMatchObject({ type: 'summary', ok: 2 })
  })

  test('does not keep the command from ending while somebody has the page open', async () => {
    const reading: Promise<unknown>[] = []
    const { code } = await folder.map('echo', ['--dashboard'], {
      during: (child) => {
        child.stdin?.write(numberedLines(1))
        atUrl(child, (url) => {
          const stream = fetch(`${url}api/stream`).then(async (response) => {
            const reader = response.body!.getReader()
            await reader.read()
            child.stdin?.end()
            for (;;) if ((await reader.read()).done) return
          })
          reading.push(stream.catch(() => undefined))
        })
      },
    })
    expect(code).toBe(0)
    await Promise.all(reading)
  })
})

describe('a port', () => {
  let taken: Server
  let port = 0
  beforeAll(async () => {
    taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    port = (taken.address() as AddressInfo).port
  })
  afterAll(() => {
    taken.close()
  })

  test('that is in use is told before anything is read or written', async () => {
    folder.write('kept.out', 'kept')
    const args = ['--dashboard', String(port), '--out', 'kept.out', '--force', '--in', 'nothing.jsonl']
    const { code, stderr } = await folder.map('echo', args)
    expect([code, stderr]).toEqual([2, `error: cannot serve the dashboard on port ${port}: the port is in use\n`])
    expect(folder.read('kept.out')).toBe('kept')
  })

  test('that is free is used', async () => {
    const free = createServer()
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve))
    const { port: wanted } = free.address() as AddressInfo
    await new Promise((resolve) => free.close(resolve))
    const { code, stderr } = await folder.map('echo', [`--dashboard=${wanted}`], { input: numberedLines(1) })
    expect(code).toBe(0)
    expect(stderr).toContain(`dashboard: http://127.0.0.1:${wanted}/\n`)
  })

  test.each(['65536', '-1', '80x', './tasks.mjs#echo'])('that is none, %s, is refused', async (text) => {
    const { code, stderr } = await folder.run(['map', `--dashboard=${text}`, './tasks.mjs#echo'], { input: '' })
    expect(code).toBe(2)
    expect(stderr).toContain('expected a port from 0 to 65535')
  })
})
