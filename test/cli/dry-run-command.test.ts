import { expect, test } from 'vitest'
import type { DryRunReport } from '../../src/batch/dry-run.js'
import { dryRunText } from '../../src/cli/dry-run-command.js'
import type { MapArguments } from '../../src/cli/map-arguments.js'

const REPORT: DryRunReport = {
  records: 1200,
  bad: 1,
  unreadable: 0,
  leftOut: 3,
  first: ['{"i":0}'],
  firstBad: [{ input: 'in', line: 4, offset: 30, message: 'broken' }],
  earlier: undefined,
  outputInTheWay: true,
}
const given = (more: Partial<MapArguments>) => ({ out: 'o', ...more }) as MapArguments

test('the report says what would be done and what stands in the way', () => {
  expect(dryRunText(REPORT, given({}), '/m.mjs').split('\n')).toEqual([
    'dry run: 1,200 records for /m.mjs, 1 of them bad',
    'left out: 3',
    'record: {"i":0}',
    'bad: in, line 4, byte 30: broken',
    'output: o is not empty; the run would be refused without --resume or --force',
  ])
})

test('the plan to resume is told', () => {
  const earlier = { ok: 5, failed: 2, outBytes: 40 }
  const text = dryRunText({ ...REPORT, earlier }, given({ resume: 'unfinished' }), 'm')
  expect(text).toContain('journal: an earlier run wrote 5 results (40 bytes), 2 failed')
  expect(text).toContain('would continue from there')
  expect(dryRunText(REPORT, given({ resume: 'all' }), 'm')).toContain('there is no earlier run')
  expect(dryRunText(REPORT, given({ force: true }), 'm')).not.toContain('refused')
})
