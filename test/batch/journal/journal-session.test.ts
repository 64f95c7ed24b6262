import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { type JournalRequest, openJournal, refuseToOverwrite } from '../../../src/batch/journal/journal-session.js'
import { START_MARK } from '../../../src/batch/journal/journal-state.js'
import { type ScratchFolder, scratchFolder } from '../scratch-folder.js'

const RUN = {
  runId: 'r',
  inputs: [{ path: 'in', sizeBytes: 9 }],
  identity: { task: 't' },
  versions: { module: 'm' },
  errors: null,
  settings: { a: 1 },
  key: null,
}

function request(folder: ScratchFolder, more: Partial<JournalRequest> = {}): JournalRequest {
  return {
    path: folder.path('journal'),
    out: folder.path('out'),
    outState: undefined,
    resume: undefined,
    resumeAnyway: false,
    force: false,
    run: RUN,
    ...more,
  }
}

test('a fresh run writes its first line at once and lets go of its lock', async () => {
  const folder = scratchFolder()
  const session = await openJournal(request(folder))
  expect(JSON.parse(folder.read('journal'))).toMatchObject({ v: 1, type: 'run', runId: 'r' })
  expect(session).toMatchObject({ state: undefined, outBytes: 0, outCrc: 0, notes: [] })
  await expect(openJournal(request(folder))).rejects.toThrow('another run')
  await session.close()
  await (await openJournal(request(folder))).close()
})

test('a resumed run keeps what is proved and cuts the rest', async () => {
  const folder = scratchFolder()
  await (await openJournal(request(folder))).close()
  const sound = `${folder.read('journal')}${JSON.stringify({ ...START_MARK, outOff: 4, outCrc: crc32('1\n2\n') })}\n`
  folder.write('journal', `${sound}{"torn`)
  folder.write('out', '1\n2\n3\n')
  const outState = { isRegular: true, sizeBytes: 6 }
  const session = await openJournal(request(folder, { resume: 'unfinished', outState }))
  expect(session).toMatchObject({ outBytes: 4, outCrc: crc32('1\n2\n'), offset: sound.length })
  await session.close()
  expect(folder.read('journal')).toBe(sound)
})

test('a changed module, a shorter output and another errors file are told and do not matter', async () => {
  const folder = scratchFolder()
  await (await openJournal(request(folder, { run: { ...RUN, errors: '/e' } }))).close()
  folder.write('journal', `${folder.read('journal')}${JSON.stringify({ ...START_MARK, outOff: 4 })}\n`)
  const run = { ...RUN, versions: { module: 'n' } }
  const session = await openJournal(request(folder, { resume: 'failed', run }))
  expect(session.notes).toEqual([
    'changed since the earlier run: module; what is done stays as it is',
    expect.stringContaining('what came after its first 0 bytes is done again'),
    '/e, where the earlier run put failed records, stays as it is',
  ])
  await session.close()
})

test('another input, task or options are refused, the first two only unless told otherwise', async () => {
  const folder = scratchFolder()
  await (await openJournal(request(folder))).close()
  const resume = { resume: 'unfinished' } as const
  const input = { ...RUN, inputs: [{ path: 'in', sizeBytes: 10 }] }
  const task = { ...RUN, identity: { task: 'u' } }
  for (const run of [input, task]) {
    await expect(openJournal(request(folder, { ...resume, run }))).rejects.toMatchObject({ code: 'EVENKEEL_JOURNAL' })
    await (await openJournal(request(folder, { ...resume, run, resumeAnyway: true }))).close()
  }
  for (const [run, difference] of [
    [{ ...RUN, settings: { a: 2 } }, 'a was 1, is 2'],
    [{ ...RUN, settings: { a: 1, b: 'new' } }, 'b was not given, is "new"'],
    [{ ...RUN, settings: {} }, 'a was 1, is not given'],
    [{ ...RUN, key: '/id' }, 'key was null, is "/id"'],
  ] as const) {
    const message = `other options: ${difference}; resume with the same`
    await expect(openJournal(request(folder, { ...resume, run, resumeAnyway: true }))).rejects.toThrow(message)
  }
})

test('an output in the way is refused before the journal is touched', async () => {
  const folder = scratchFolder()
  folder.write('journal', 'precious\n')
  const outState = { isRegular: true, sizeBytes: 6 }
  await expect(openJournal(request(folder, { outState }))).rejects.toThrow('--resume')
  await expect(openJournal(request(folder, { outState, resume: 'all' }))).rejects.toThrow('no journal')
  expect(folder.read('journal')).toBe('precious\n')
  await (await openJournal(request(folder, { outState, force: true }))).close()
  expect(() => refuseToOverwrite({ out: 'o', force: false, resume: undefined }, 0)).not.toThrow()
})

test('a journal that cannot be written is an output error', async () => {
  const folder = scratchFolder()
  await expect(openJournal(request(folder, { path: folder.path('no/journal') }))).rejects.toThrow('ENOENT')
})

test('a file in its place that is no journal is overwritten only by force, what is left of a torn one always', async () => {
  const folder = scratchFolder()
  for (const text of ['', '{"v":1,"ty', '{"v":1,"type":"run","runId":"x']) {
    folder.write('journal', text)
    await (await openJournal(request(folder))).close()
    expect(folder.read('journal')).toContain('"runId":"r"')
  }
  folder.write('journal', '{"v":1,"type":"record"}\n')
  await expect(openJournal(request(folder))).rejects.toThrow('is no journal; --force overwrites it')
  expect(folder.read('journal')).toBe('{"v":1,"type":"record"}\n')
  await (await openJournal(request(folder, { force: true }))).close()
  expect(folder.read('journal')).toContain('"runId":"r"')
})
