import { execFileSync, spawn } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { fileSource, streamSource } from '../../src/batch/byte-source.js'
import { scratchFolder } from './scratch-folder.js'

test('a file is read whole, chunk after chunk, and may be read again', async () => {
  const folder = scratchFolder()
  const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, at) => at % 251))
  const source = await fileSource(folder.write('file', bytes))
  expect(source.sizeBytes).toBe(bytes.length)
  for (let round = 0; round < 2; round++) {
    const parts: Buffer[] = []
    for await (const chunk of source.chunks()) parts.push(Buffer.from(chunk))
    expect(Buffer.concat(parts).equals(bytes)).toBe(true)
  }
})

test('leaving a file early closes it', async () => {
  const folder = scratchFolder()
  const source = await fileSource(folder.write('file', Buffer.alloc(2_000_000)))
  for await (const chunk of source.chunks()) {
    expect(chunk.length).toBeGreaterThan(0)
    break
  }
})

test('a named pipe is read to its end', async () => {
  const folder = scratchFolder()
  const path = folder.path('pipe')
  execFileSync('mkfifo', [path])
  const writer = spawn('sh', ['-c', `printf 'hello %s' pipe > '${path}'`])
  const source = await fileSource(path)
  let text = ''
  for await (const chunk of source.chunks()) text += chunk
  expect(text).toBe('hello pipe')
  expect(source.sizeBytes).toBeUndefined()
  writer.kill()
})

test('a named pipe stays open while garbage is collected', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const path = scratchFolder().path('pipe')
  execFileSync('mkfifo', [path])
  const writer = spawn('sh', ['-c', `cat > '${path}'`])
  const source = await fileSource(path)
  for (let round = 0; round < 5; round++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  writer.stdin.end('late')
  let text = ''
  for await (const chunk of source.chunks()) text += chunk
  expect(text).toBe('late')
})

test('closing a stream ends a read that waits', async () => {
  const source = streamSource('pipe', new PassThrough())
  const reading = (async () => {
    for await (const chunk of source.chunks()) expect(chunk).toBeUndefined()
  })()
  source.close()
  await reading.catch((error: NodeJS.ErrnoException) => expect(error.code).toBe('ERR_STREAM_PREMATURE_CLOSE'))
})
