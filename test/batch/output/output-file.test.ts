import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.js'
import { openOutput, outputState } from '../../../src/batch/output/output-file.js'
import { scratchFolder } from '../scratch-folder.js'

test('a regular file is cut to what is to be kept', async () => {
  const folder = scratchFolder()
  const path = folder.write('out', 'kept and not')
  expect(await outputState(path)).toEqual({ isRegular: true, sizeBytes: 12 })
  const out = await openOutput(path, 4, systemClock)
  expect(out).toMatchObject({ isRegular: true, offset: 4 })
  await out.close()
  expect(folder.read('out')).toBe('kept')
})

test('a file that is not there is made, in a folder that is', async () => {
  const folder = scratchFolder()
  expect(await outputState(folder.path('new'))).toBeUndefined()
  await (await openOutput(folder.path('new'), 0, systemClock)).close()
  expect(folder.read('new')).toBe('')
  await expect(openOutput(folder.path('no/where'), 0, systemClock)).rejects.toMatchObject({ systemCode: 'ENOENT' })
})

test('devices and pipes are written in order only', async () => {
  const folder = scratchFolder()
  const device = await openOutput('/dev/null', 0, systemClock)
  expect(device).toMatchObject({ isRegular: false, offset: undefined })
  await device.close()
  execFileSync('mkfifo', [folder.path('pipe')])
  expect(await outputState(folder.path('pipe'))).toEqual({ isRegular: false, sizeBytes: 0 })
  expect(await openOutput('-', 0, systemClock)).toMatchObject({ fd: 1, isRegular: false })
})

test('a place that cannot be written is told before it is opened', async () => {
  const folder = scratchFolder()
  const file = folder.write('file', '')
  for (const [path, systemCode] of [
    [folder.path('.'), 'EISDIR'],
    [folder.path('no/where'), 'ENOENT'],
    [`${file}/below`, 'ENOTDIR'],
  ] as const) {
    await expect(outputState(path)).rejects.toMatchObject({ code: 'EVENKEEL_BATCH_OUTPUT', systemCode })
  }
})

test('a FIFO is opened for writing alone, once somebody reads it', async () => {
  const folder = scratchFolder()
  const path = folder.path('pipe')
  execFileSync('mkfifo', [path])
  const out = await openOutput(path, 0, systemClock)
  let opened = false
  void Promise.resolve(out.fd).then(() => {
    opened = true
  })
  await new Promise((done) => setTimeout(done, 60))
  expect(opened).toBe(false)
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  await out.fd
  closeSync(reader)
  await out.close()
  await out.close()
})

test('the wait for a reader can be given up', async () => {
  const folder = scratchFolder()
  execFileSync('mkfifo', [folder.path('pipe')])
  const out = await openOutput(folder.path('pipe'), 0, systemClock)
  await out.close()
  await expect(out.fd).rejects.toMatchObject({
    code: 'EVENKEEL_BATCH_OUTPUT',
    message: expect.stringContaining('nobody reads it'),
  })
})

test('a name that promises compression is refused, unless it is a pipe', async () => {
  const folder = scratchFolder()
  for (const name of ['a.gz', 'b.jsonl.zst', 'c.Z']) {
    await expect(outputState(folder.path(name))).rejects.toMatchObject({ code: 'EVENKEEL_BATCH_USAGE' })
  }
  execFileSync('mkfifo', [folder.path('pipe.gz')])
  expect(await outputState(folder.path('pipe.gz'))).toEqual({ isRegular: false, sizeBytes: 0 })
})
