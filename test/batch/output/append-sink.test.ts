import { closeSync, openSync, statSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.js'
import type { BatchOutputError } from '../../../src/batch/options/batch-errors.js'
import { AppendSink } from '../../../src/batch/output/append-sink.js'
import { scratchFolder } from '../scratch-folder.js'

function sinkOn(path: string, offset?: number, flags = 'w'): { sink: AppendSink; errors: BatchOutputError[] } {
  const fd = openSync(path, flags)
  onTestFinished(() => closeSync(fd))
  const errors: BatchOutputError[] = []
  const sink = new AppendSink({
    file: { fd, name: path, offset, close: async () => undefined },
    separator: 10,
    clock: systemClock,
    onError: (error) => errors.push(error),
  })
  return { sink, errors }
}

test('lines of any length are written in order and whole', async () => {
  const folder = scratchFolder()
  const { sink } = sinkOn(folder.path('out'), 0)
  const lines = Array.from({ length: 500 }, (_, i) => `${i} ${'ü'.repeat((i * 37) % 900)}`)
  for (const line of lines) sink.append(line)
  const offset = sink.flush()
  await sink.written(offset)
  await sink.sync()
  expect(sink.backlogBytes).toBe(0)
  const text = folder.read('out')
  expect(text).toBe(`${lines.join('\n')}\n`)
  expect(offset).toBe(Buffer.byteLength(text))
})

test('a line waits a moment for others and is then written by itself', async () => {
  const folder = scratchFolder()
  const { sink } = sinkOn(folder.path('out'), 0)
  sink.append('alone')
  expect(sink.backlogBytes).toBe(6)
  while (sink.backlogBytes > 0) await new Promise((done) => setTimeout(done, 5))
  expect(folder.read('out')).toBe('alone\n')
})

test('writing goes on behind what is kept of a file', async () => {
  const folder = scratchFolder()
  folder.write('out', 'kept\ncut')
  const { sink } = sinkOn(folder.path('out'), 5, 'r+')
  sink.append('new')
  expect(sink.flush()).toBe(9)
  await sink.written(9)
  expect(folder.read('out')).toBe('kept\nnew\n')
})

test('a failure is told once, to the listener and to whoever waits', async () => {
  const { sink, errors } = sinkOn('/dev/full')
  sink.append('lost')
  await expect(sink.written(sink.flush())).rejects.toMatchObject({ systemCode: 'ENOSPC' })
  sink.append('lost too')
  await expect(sink.written(sink.flush())).rejects.toThrow('cannot write /dev/full')
  expect(errors).toHaveLength(1)
})

test('lines that come as bytes keep their place among the others, and may be overwritten at once', async () => {
  const folder = scratchFolder()
  const { sink } = sinkOn(folder.path('out'), 0)
  const expected: string[] = []
  const shared = Buffer.alloc(100_000)
  for (let round = 0; round < 60; round++) {
    const text = `${`${round} ü `.repeat((round * 611) % 9000)}\n`
    sink.append(shared.subarray(0, shared.write(text)))
    expected.push(text)
    shared.fill(0x21)
    if (round % 7 === 3) {
      sink.append(`${round}`)
      expected.push(`${round}\n`)
    }
    if (round % 20 === 19) await sink.written(sink.flush())
  }
  expect(sink.backlogBytes).toBe(0)
  sink.append(Buffer.from('tail\n'))
  expect(sink.backlogBytes).toBe(5)
  while (sink.backlogBytes > 0) await new Promise((done) => setTimeout(done, 5))
  expect(folder.read('out')).toBe(`${expected.join('')}tail\n`)
})

test('a sink that is closed writes nothing more, also not to whoever gets its descriptor next', async () => {
  const folder = scratchFolder()
  const fd = openSync(folder.path('out'), 'w')
  const close = async (): Promise<void> => closeSync(fd)
  const sink = new AppendSink({
    file: { fd, name: 'out', offset: 0, close },
    separator: 10,
    clock: systemClock,
    onError: (error) => expect.unreachable(error.message),
  })
  const line = 'x'.repeat(2 ** 18)
  for (let piece = 0; piece < 40; piece++) sink.append(line)
  sink.append('lingers')
  await sink.close()
  const written = statSync(folder.path('out')).size
  const next = openSync(folder.path('next'), 'w')
  onTestFinished(() => closeSync(next))
  expect(next).toBe(fd)
  await new Promise((done) => setTimeout(done, 30))
  expect(folder.read('next')).toBe('')
  expect(statSync(folder.path('out')).size).toBe(written)
})
