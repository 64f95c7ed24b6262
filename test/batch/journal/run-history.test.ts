import { expect, test } from 'vitest'
import { RunHistory } from '../../../src/batch/journal/run-history.js'
import { type MapFileOptions, resolveMapOptions } from '../../../src/batch/options/map-options.js'
import { RecordArena } from '../../../src/batch/records/record-arena.js'
import { loneRecord, memorySource, placedRecord, type ScratchFolder, scratchFolder } from '../scratch-folder.js'

const REGULAR = { isRegular: true, sizeBytes: 0 }

function open(
  folder: ScratchFolder,
  more: Partial<MapFileOptions> = {},
  outState: typeof REGULAR | undefined = undefined,
) {
  const options = resolveMapOptions({ in: 'in', out: folder.path('out'), ...more })
  return RunHistory.open(options, [{ ...memorySource(''), sizeBytes: undefined }], outState, new RecordArena(4))
}

test('a regular output has its journal beside it, others have none', async () => {
  const folder = scratchFolder()
  const history = await open(folder)
  expect(history.path).toBe(folder.path('out.journal'))
  expect(history.start).toEqual({ input: 0, offset: 0, records: 0 })
  await history.close()
  const pipe = await open(folder, {}, { isRegular: false, sizeBytes: 0 })
  expect([pipe.path, pipe.journal, pipe.checksums]).toEqual([undefined, undefined, undefined])
  expect(pipe.passesOver(loneRecord(0))).toBe(false)
  pipe.checkEnd()
  await pipe.close()
})

test('what cannot be noted down cannot be resumed', async () => {
  const folder = scratchFolder()
  await expect(open(folder, { out: '-', resume: 'all' })).rejects.toThrow('regular file')
  await expect(open(folder, { out: '-', journal: 'j' })).rejects.toThrow('regular file')
  await expect(open(folder, { journal: false, resume: 'all' })).rejects.toThrow('journal')
  await expect(open(folder, { journal: false }, { isRegular: true, sizeBytes: 3 })).rejects.toThrow('--force')
})

test('records get the names that the run needs', async () => {
  const folder = scratchFolder()
  const ordered = await open(folder, { journal: folder.path('1') })
  const open2 = await open(folder, { journal: folder.path('2'), keepOrder: false })
  const arena = new RecordArena(8)
  const keyed = await RunHistory.open(
    resolveMapOptions({ in: 'in', out: folder.path('out'), journal: folder.path('3'), key: '/id' }),
    [],
    undefined,
    arena,
  )
  const record = async () => placedRecord(arena, '{"id":7}')
  const names: unknown[] = []
  expect([ordered, open2, keyed].map(({ takesAll }) => takesAll)).toEqual([true, false, false])
  for (const history of [ordered, open2, keyed]) {
    const one = await record()
    history.passesOver(one)
    names.push(one.journalKey)
    await history.close()
  }
  expect(names).toEqual([undefined, expect.stringMatching(/^0:0\+9:/), '7'])
})

test('a run that takes another one up asks after every record', async () => {
  const folder = scratchFolder()
  await (await open(folder)).close()
  const again = await open(folder, { resume: 'unfinished' })
  expect(again.takesAll).toBe(false)
  await again.close()
  const without = await open(folder, { journal: false })
  expect(without.takesAll).toBe(true)
  await without.close()
})

test('a resumed run brings the errors file to what the journal says, at its begin and at its end', async () => {
  const folder = scratchFolder()
  const errors = folder.path('errors')
  const first = await open(folder, { errors })
  expect([first.errorsBytes, first.outCrc]).toEqual([0, 0])
  const record = loneRecord(0)
  record.journalKey = 'bad'
  const failed = { type: 'failed', error: { name: 'E', message: 'm' }, lasting: true } as const
  first.journal!.note(record, failed, '{"id":1}')
  first.journal!.mark({ input: 0, offset: 0, records: 0 }, 0, 0)
  await first.journal!.flush()
  await first.close()
  const second = await open(folder, { errors, resume: 'failed' })
  expect([second.errorsBytes, folder.read('errors')]).toEqual([9, '{"id":1}\n'])
  expect(second.notes).toEqual([expect.stringContaining('is gone')])
  await second.tidyErrors()
  expect(folder.read('errors')).toBe('{"id":1}\n')
  second.journal!.note(record, { type: 'ok', result: 'x', runMs: undefined }, '')
  second.journal!.mark({ input: 0, offset: 10, records: 1 }, 0, 0)
  await second.journal!.flush()
  await second.tidyErrors()
  expect([folder.read('errors'), second.journal!.counts]).toEqual(['', { ok: 1, failed: 0, skipped: 0 }])
  await second.close()
})
