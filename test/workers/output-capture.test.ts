import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import type { WorkerControl } from '../../src/protocol/control.js'
import type { Owner } from '../../workers/last-words.js'
import { type CapturedStreams, captureOutput } from '../../workers/output-capture.js'

function captured() {
  const owner = new AsyncLocalStorage<Owner>()
  const said: WorkerControl[] = []
  const passed: unknown[] = []
  const stream = () => ({ write: (chunk: unknown) => passed.push(chunk) > 0 }) as CapturedStreams['stdout']
  const streams: CapturedStreams = { stdout: stream(), stderr: stream() }
  captureOutput(streams, owner, (message) => said.push(message))
  return { ...streams, owner, said, passed }
}

test('what is written is told with its stream and the running task, and goes nowhere else', () => {
  const { stdout, stderr, owner, said, passed } = captured()
  owner.run({ key: 7, running: true }, () => stdout.write('of a task\n'))
  owner.run({ key: 7, running: false }, () => stdout.write('after it\n'))
  stderr.write('of nobody\n')
  expect(said).toEqual([
    { type: 'output', stream: 'stdout', key: 7, text: 'of a task\n' },
    { type: 'output', stream: 'stdout', key: -1, text: 'after it\n' },
    { type: 'output', stream: 'stderr', key: -1, text: 'of nobody\n' },
  ])
  expect(passed).toEqual([])
})

test('bytes and encodings become text, also where a chunk ends within a character', () => {
  const { stdout, said } = captured()
  const euro = Buffer.from('€')
  stdout.write(euro.subarray(0, 2))
  expect(said).toEqual([])
  stdout.write(euro.subarray(2))
  stdout.write('6869', 'hex')
  expect(said.map((message) => message.type === 'output' && message.text)).toEqual(['€', 'hi'])
})

test('whoever waits for the write hears that it is done', async () => {
  const { stdout } = captured()
  await new Promise((resolve) => stdout.write('a', resolve))
  await new Promise((resolve) => stdout.write('a', 'utf8', resolve))
  expect(stdout.write('a')).toBe(true)
})
