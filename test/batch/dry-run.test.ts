import { expect, test } from 'vitest'
import { dryRun } from '../../src/batch/dry-run.js'
import { mapFile } from '../../src/batch/map-file.js'
import { scratchFolder } from './scratch-folder.js'

test('the whole input is checked and nothing is written', async () => {
  const folder = scratchFolder()
  const input = folder.write('in', '{"i":0}\n{bad\n{"i":2}\n{"i":3}\n{"i":4}\n{"i":5}\n')
  const report = await dryRun({ in: input, out: folder.path('out'), skip: 1, limit: 4 })
  expect(report).toMatchObject({ records: 4, bad: 1, leftOut: 1, earlier: undefined, outputInTheWay: false })
  expect(report.first).toEqual(['{"i":2}', '{"i":3}', '{"i":4}'])
  expect(report.firstBad).toEqual([{ input, line: 2, offset: 8, message: expect.stringContaining('JSON') }])
  expect(() => folder.read('out')).toThrow('ENOENT')
})

test('an earlier run is told of', async () => {
  const folder = scratchFolder()
  const options = { in: folder.write('in', '1\n2\n'), out: folder.path('out') }
  await (await mapFile({ run: async (_name, value) => value }, { task: 't', ...options })).done
  expect(await dryRun(options)).toMatchObject({ earlier: { ok: 2, failed: 0, outBytes: 4 }, outputInTheWay: true })
  expect(await dryRun({ ...options, journal: false })).toMatchObject({ earlier: undefined })
})
