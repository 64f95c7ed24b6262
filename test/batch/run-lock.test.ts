import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
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

test('a lock of a killed process that nobody asked after is taken over', async () => {
  if (!existsSync('/proc/self/stat')) return
  // The shell becomes a program that never asks after the child it had.
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [output] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(output.toString())
  const fields = (): string[] => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  while (fields()[0] !== 'Z') await new Promise((done) => setTimeout(done, 5))
  const folder = scratchFolder()
  const lock = await RunLock.take(folder.write('lock', JSON.stringify({ pid, started: fields()[19] })))
  expect(JSON.parse(folder.read('lock')).pid).toBe(process.pid)
  await lock.release()
})
