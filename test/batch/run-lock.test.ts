import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { RunLock } from '../../src/batch/run-lock.js'
import { scratchFolder } from './scratch-folder.js'

test('a lock is held until it is released, and leaves nothing behind', async () => {
  const folder = scratchFolder()
  const path = folder.path('lock')
  const lock = await RunLock.take(path)
  await expect(RunLock.take(path)).rejects.toMatchObject({ code: 'EVENKEEL_JOURNAL' })
  await lock.release()
  await (await RunLock.take(path)).release()
  expect(readdirSync(folder.path('.'))).toEqual([])
})

test('a lock of a process that is gone, of a later one with its number, or that is torn, is taken over', async () => {
  const folder = scratchFolder()
  for (const text of ['{"pid":4194304,"started":"1"}', `{"pid":${process.pid},"started":"1"}`, '', '{"pid":1']) {
    const lock = await RunLock.take(folder.write('lock', text))
    expect(JSON.parse(folder.read('lock')).pid).toBe(process.pid)
    await lock.release()
  }
})

test('of many that want it at once only one gets it', async () => {
  const folder = scratchFolder()
  const path = folder.write('lock', '{"pid":4194304,"started":"1"}')
  const tries = await Promise.allSettled([RunLock.take(path)])
  const later = await Promise.allSettled([RunLock.take(path), RunLock.take(path)])
  expect(tries[0]?.status).toBe('fulfilled')
  expect(later.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('a folder that is not there is an error with a reason', async () => {
  await expect(RunLock.take(scratchFolder().path('no/lock'))).rejects.toMatchObject({
    code: 'EVENKEEL_BATCH_OUTPUT',
    message: expect.stringContaining('ENOENT'),
  })
})
