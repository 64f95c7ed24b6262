import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.js'
import { openOutput, outputState } from '../../src/batch/output-file.js'
import { scratchFolder } from './scratch-folder.js'

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
