import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, truncateSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { fileSource, streamSource } from '../../../src/batch/input/byte-source.js'
import { scratchFolder } from '../scratch-folder.js'

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
  writer.stdin.write('early, ')
  let text = ''
  for await (const chunk of source.chunks()) {
    text += chunk
    if (text !== 'early, ') continue
    for (let round = 0; round < 5; round++) {
      collect()
      await new Promise((resolve) => setImmediate(resolve))
    }
    writer.stdin.end('late')
  }
  expect(text).toBe('early, late')
})

test('a file that is cut while it is read is an error, one that grows is read on', async () => {
  const folder = scratchFolder()
  const path = folder.write('file', Buffer.alloc(2_000_000))
  const drain = async (size: number): Promise<number> => {
    let bytes = 0
    for await (const chunk of (await fileSource(path)).chunks()) {
      if (bytes === 0) truncateSync(path, size)
      bytes += chunk.length
    }
    return bytes
  }
  expect(await drain(3_000_000)).toBe(3_000_000)
  await expect(drain(700_000)).rejects.toThrow('it had 3000000 bytes and was cut to 700000 while it was read')
})

test('a pipe that nobody writes is waited for without a file thread, and closed for good', async () => {
  const folder = scratchFolder()
  const path = folder.path('pipe')
  execFileSync('mkfifo', [path])
  const openFiles = (): number => readdirSync('/proc/self/fd').length
  const before = openFiles()
  // More than Node has file threads: a blocking open would keep the write below from being done.
  const sources = await Promise.all(Array.from({ length: 8 }, () => fileSource(path)))
  const ends = sources.map(async (source) => {
    for await (const chunk of source.chunks()) expect(chunk).toBeUndefined()
  })
  for (const end of ends) end.catch(() => undefined)
  folder.write('other', 'text')
  await fileSource(folder.path('other'))
  while (openFiles() < before + 8) await new Promise((done) => setTimeout(done, 5))
  for (const source of sources) source.close()
  await Promise.allSettled(ends)
  while (openFiles() > before) await new Promise((done) => setTimeout(done, 5))
  expect(openFiles()).toBe(before)
})

test('a source that is closed before it is opened stays closed', async () => {
  const folder = scratchFolder()
  execFileSync('mkfifo', [folder.path('pipe')])
  const source = await fileSource(folder.path('pipe'))
  const reading = source.chunks()[Symbol.asyncIterator]().next()
  source.close()
  expect(await reading).toMatchObject({ done: true })
})

test('sockets and folders are named for what they are', async () => {
  const folder = scratchFolder()
  await expect(fileSource(folder.path('.'))).rejects.toThrow('it is a directory')
  await expect(fileSource(folder.path('none'))).rejects.toMatchObject({ code: 'EVENKEEL_BATCH_INPUT' })
})

test('closing a stream ends a read that waits', async () => {
  const source = streamSource('pipe', new PassThrough())
  const reading = (async () => {
    for await (const chunk of source.chunks()) expect(chunk).toBeUndefined()
  })()
  source.close()
  await reading.catch((error: NodeJS.ErrnoException) => expect(error.code).toBe('ERR_STREAM_PREMATURE_CLOSE'))
})
