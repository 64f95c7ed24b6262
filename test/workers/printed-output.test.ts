import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { fixtureUrl, within } from '../support/outcome.js'

const LIMIT_MS = 25_000

function startHost(...args: string[]) {
  const host = spawn(process.execPath, [fileURLToPath(fixtureUrl('printing-host.mjs')), ...args], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  host.stderr.on('data', (text) => {
    said += text
  })
  return { host, ended: once(host, 'close'), said: () => said }
}

/** The host says what it has reached, on the stream that is read. */
async function until(said: () => string, word: string): Promise<void> {
  while (!said().includes(word)) await sleep(10)
}

test('tasks that print settle, and the pool closes, when the reader of the host’s output has gone', async () => {
  const { host, ended, said } = startHost('listens')
  await once(host.stdout, 'data')
  host.stdout.destroy()
  await within(LIMIT_MS, ended)
  expect(said()).toContain('settled 500 of 500\nclosed')
})

test('without a listener the broken pipe ends the host, as it does any other', async () => {
  const { host, ended, said } = startHost()
  await once(host.stdout, 'data')
  host.stdout.destroy()
  await within(LIMIT_MS, ended)
  expect(said()).toContain('EPIPE')
})

test('output that is read late is complete, and answers do not wait for it without end', async () => {
  const { host, ended, said } = startHost()
  await within(LIMIT_MS, until(said, 'settled 500 of 500'))
  await sleep(500)
  let lines = 0
  host.stdout.setEncoding('utf8').on('data', (text: string) => {
    lines += text.split('\n').length - 1
  })
  await within(LIMIT_MS, ended)
  expect([lines, said().includes('closed')]).toEqual([500, true])
})
