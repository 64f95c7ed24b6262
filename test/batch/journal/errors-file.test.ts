import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type ErrorsFileRequest, restoreErrorsFile } from '../../../src/batch/journal/errors-file.js'
import { readJournal, START_MARK } from '../../../src/batch/journal/journal-state.js'
import { type ScratchFolder, scratchFolder } from '../scratch-folder.js'

const RUN = {
  v: 1,
  type: 'run',
  runId: 'r',
  inputs: [],
  identity: {},
  versions: {},
  errors: null,
  settings: {},
  key: null,
}

async function request(folder: ScratchFolder, ids: readonly number[]): Promise<ErrorsFileRequest> {
  const fails = ids.map((id) => ({ type: 'fail', k: `${id}`, in: 0, off: id, try: 1, final: true, entry: { id } }))
  const lines = [RUN, ...fails, START_MARK].map((line) => `${JSON.stringify(line)}\n`)
  const journal = folder.write('journal', lines.join(''))
  const { failed } = (await readJournal(journal))!
  return { path: folder.path('errors'), journal, failed, guard: () => undefined }
}

const LINES = '{"id":1}\n{"id":2}\n'

test('the file is left alone when it begins as the journal says, and what stands behind is cut off', async () => {
  const folder = scratchFolder()
  const wanted = await request(folder, [1, 2])
  folder.write('errors', `${LINES}{"id":3}\n{"i`)
  const { ino } = statSync(folder.path('errors'))
  expect(await restoreErrorsFile(wanted)).toEqual({ bytes: LINES.length, difference: undefined })
  expect([folder.read('errors'), statSync(folder.path('errors')).ino]).toEqual([LINES, ino])
})

test('a file that is gone, cut, changed or full of zeros is written anew, with its mode', async () => {
  const folder = scratchFolder()
  const wanted = await request(folder, [1, 2])
  expect(await restoreErrorsFile(wanted)).toMatchObject({ difference: expect.stringContaining('is gone') })
  for (const text of ['', '{"id":1', '{"id":5}\n{"id":2}\n{"id":6}\n', '\0'.repeat(40)]) {
    folder.write('errors', text)
    chmodSync(folder.path('errors'), 0o600)
    const { difference } = await restoreErrorsFile(wanted)
    expect([folder.read('errors'), difference]).toEqual([LINES, expect.stringContaining('written anew')])
    expect(statSync(folder.path('errors')).mode & 0o777).toBe(0o600)
  }
  expect(readdirSync(folder.path('.')).sort()).toEqual(['errors', 'journal'])
})

test('text of another kind is refused and kept, also behind the lines', async () => {
  const folder = scratchFolder()
  for (const text of ['my notes', `${LINES}my notes`, `my notes\n${LINES}`]) {
    folder.write('errors', text)
    await expect(restoreErrorsFile(await request(folder, [1, 2]))).rejects.toMatchObject({ code: 'EVENKEEL_JOURNAL' })
    expect(folder.read('errors')).toBe(text)
  }
})

test('nothing is replaced once another run has the lock', async () => {
  const folder = scratchFolder()
  const guard = (): void => {
    throw new Error('taken over')
  }
  folder.write('errors', '{"id":7}\n')
  await expect(restoreErrorsFile({ ...(await request(folder, [1])), guard })).rejects.toThrow('taken over')
  expect(folder.read('errors')).toBe('{"id":7}\n')
})

test('a link stays one; a link in the place of the new file is not followed', async () => {
  const folder = scratchFolder()
  mkdirSync(folder.path('far'))
  folder.write('far/real', '')
  symlinkSync(folder.path('far/real'), folder.path('errors'))
  folder.write('precious', 'precious')
  symlinkSync(folder.path('precious'), folder.path('far/real.evenkeel-new'))
  await restoreErrorsFile(await request(folder, [1, 2]))
  expect([folder.read('far/real'), folder.read('errors'), folder.read('precious')]).toEqual([LINES, LINES, 'precious'])
  expect(existsSync(folder.path('far/real.evenkeel-new'))).toBe(false)
})

test('no failures leave an empty file empty, and make none', async () => {
  const folder = scratchFolder()
  expect(await restoreErrorsFile(await request(folder, []))).toEqual({ bytes: 0, difference: undefined })
  expect(existsSync(folder.path('errors'))).toBe(false)
})
