import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.js'
import { type LockOwner, thisOwner } from '../../../src/batch/journal/lock-owner.js'
import { RunLock } from '../../../src/batch/journal/run-lock.js'
import { scratchFolder } from '../scratch-folder.js'

const QUICK = { clock: systemClock, beatMs: 20 }

/** A lock as its owner leaves it. */
const lockOf = (more: Partial<LockOwner>, beat = '000000000000\n'): string =>
  `${JSON.stringify({ ...thisOwner(), ...more })}\n${beat}`

const pidIn = (text: string): number => JSON.parse(text.split('\n')[0]!).pid

test('a lock is held until it is released, and leaves nothing behind', async () => {
  const folder = scratchFolder()
  const path = folder.path('lock')
  const lock = await RunLock.take(path)
  lock.check()
  await expect(RunLock.take(path)).rejects.toMatchObject({
    code: 'EVENKEEL_JOURNAL',
    message: expect.stringContaining(`another run (process ${process.pid} on `),
  })
  await lock.release()
  await (await RunLock.take(path)).release()
  expect(readdirSync(folder.path('.'))).toEqual([])
})

test('a lock of a process that is gone, or of a later one with its number, is taken over at once', async () => {
  if (!existsSync('/proc/self/stat')) return
  const folder = scratchFolder()
  for (const more of [{ pid: 4_194_304 }, { started: '1' }]) {
    const lock = await RunLock.take(folder.write('lock', lockOf(more)))
    expect(pidIn(folder.read('lock'))).toBe(process.pid)
    await lock.release()
    expect(readdirSync(folder.path('.'))).toEqual([])
  }
})

test('an owner that cannot be seen is dead once it has stood still for long, and so is a torn lock', async () => {
  const folder = scratchFolder()
  for (const text of [lockOf({ space: 'elsewhere' }), '{"pid":4194304,"started":"1"}', '', '{"pid":1']) {
    const lock = await RunLock.take(folder.write('lock', text), QUICK)
    expect(pidIn(folder.read('lock'))).toBe(process.pid)
    await lock.release()
  }
})

test('an owner that cannot be seen lives as long as it beats', async () => {
  const folder = scratchFolder()
  const path = folder.write('lock', lockOf({ space: 'elsewhere' }))
  let beats = 0
  const beating = setInterval(
    () => writeFileSync(path, lockOf({ id: 'its-id', space: 'elsewhere' }, `${++beats}\n`)),
    10,
  )
  onTestFinished(() => clearInterval(beating))
  await expect(RunLock.take(path, QUICK)).rejects.toThrow('another run')
  expect(pidIn(folder.read('lock'))).toBe(process.pid)
})

test('a run that stood still and lost its lock may not write, and leaves the lock of the other', async () => {
  const folder = scratchFolder()
  const path = folder.path('lock')
  let nowMs = 0
  const still = { stop: () => undefined, unref: () => undefined }
  const clock = { nowMs: () => nowMs, after: () => still, every: () => still }
  const lock = await RunLock.take(path, { clock, beatMs: 1000 })
  nowMs = 4999
  lock.check()
  const other = lockOf({ id: 'other' })
  renameSync(folder.write('own', other), path)
  lock.check()
  nowMs = 5000
  expect(() => lock.check()).toThrow('another may be at work')
  expect(() => lock.check()).toThrow('another may be at work')
  await lock.release()
  expect(folder.read('lock')).toBe(other)
})

test('a run that stood still keeps its lock when nobody wanted it, and gives way to an heir', async () => {
  const folder = scratchFolder()
  let nowMs = 0
  const still = { stop: () => undefined, unref: () => undefined }
  const clock = { nowMs: () => nowMs, after: () => still, every: () => still }
  const path = folder.path('lock')
  const lock = await RunLock.take(path, { clock, beatMs: 1000 })
  nowMs = 60_000
  lock.check()
  expect(folder.read('lock')).toContain('\n000000000001\n')
  const { id } = JSON.parse(folder.read('lock').split('\n')[0]!)
  folder.write(`lock.heir-${id.slice(0, 8)}`, lockOf({}))
  nowMs = 120_000
  expect(() => lock.check()).toThrow("another run's")
  await lock.release()
})

test('an heir that died on the way is overcome in the same way', async () => {
  if (!existsSync('/proc/self/stat')) return
  const folder = scratchFolder()
  const path = folder.write('lock', lockOf({ id: 'first-owner', pid: 4_194_304 }))
  folder.write('lock.heir-first-ow', lockOf({ id: 'second-owner', pid: 4_194_304 }))
  const lock = await RunLock.take(path, QUICK)
  await lock.release()
  expect(readdirSync(folder.path('.'))).toEqual([])
})

test('links in its place are not followed', async () => {
  const folder = scratchFolder()
  const target = folder.write('precious', 'precious')
  symlinkSync(target, folder.path('lock'))
  await expect(RunLock.take(folder.path('lock'))).rejects.toThrow('it is a link')
  expect(folder.read('precious')).toBe('precious')
})

test('of many processes that want a dead lock at once one gets it, again and again', { timeout: 60_000 }, async () => {
  const folder = scratchFolder()
  const library = new URL('../../../dist/src/batch/journal/run-lock.js', import.meta.url).href
  // Whoever has the lock makes a file that must not be there; an owner that is killed leaves its lock to the next.
  const script = folder.write(
    'racer.mjs',
    `
    import { mkdirSync, rmdirSync } from 'node:fs'
    import { RunLock } from ${JSON.stringify(library)}
    let taken = 0
    const end = Date.now() + 3000
    while (Date.now() < end) {
      const lock = await RunLock.take(${JSON.stringify(folder.path('lock'))}).catch((error) => {
        if (error.code !== 'EVENKEEL_JOURNAL') throw error
      })
      if (lock === undefined) { await new Promise((done) => setTimeout(done, Math.random() * 3)); continue }
      mkdirSync(${JSON.stringify(folder.path('inside'))})
      await new Promise((done) => setTimeout(done, Math.random() * 3))
      rmdirSync(${JSON.stringify(folder.path('inside'))})
      taken++
      if (Math.random() < 0.05) process.kill(process.pid, 'SIGKILL')
      await lock.release()
    }
    console.log(taken)`,
  )
  const race = async (): Promise<{ taken: number; errors: string }> => {
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] })
    let [text, errors] = ['', '']
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    await once(child, 'close')
    return { taken: Number(text), errors }
  }
  const racers = await Promise.all(Array.from({ length: 5 }, race))
  expect(racers.map(({ errors }) => errors)).toEqual(['', '', '', '', ''])
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
  const lock = await RunLock.take(folder.write('lock', lockOf({ pid, started: fields()[19]! })))
  expect(pidIn(folder.read('lock'))).toBe(process.pid)
  await lock.release()
})
