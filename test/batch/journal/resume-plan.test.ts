import { expect, test } from 'vitest'
import { TextChecksums } from '../../../src/batch/input/input-checksum.js'
import { type JournalState, type NotedFailure, START_MARK } from '../../../src/batch/journal/journal-state.js'
import { ResumePlan } from '../../../src/batch/journal/run-history.js'
import type { ResumePolicy } from '../../../src/batch/options/map-options.js'
import { loneRecord } from '../scratch-folder.js'

const failure = (final: boolean): NotedFailure => ({ final, end: 0 })

const RUN = {
  v: 1,
  type: 'run',
  runId: '',
  inputs: [],
  identity: {},
  versions: {},
  errors: null,
  settings: {},
  key: null,
} as const

/** Records 0 to 4 lie before the mark; 1 failed, 3 failed by no fault of its own; 6 is done, 7 failed. */
function passed(policy: ResumePolicy, more: Partial<JournalState> = {}): number[] {
  const state: JournalState = {
    run: RUN,
    mark: { ...START_MARK, inOff: 50 },
    journalBytes: 0,
    outCrc: 0,
    isCut: false,
    done: new Set(['n6']),
    failed: new Map([
      ['n1', failure(true)],
      ['n3', failure(false)],
      ['n7', failure(true)],
    ]),
    ...more,
  }
  const nameOf = (record: { seq: number }) => `n${record.seq}`
  const plan = new ResumePlan({ state, policy, checksums: new TextChecksums(undefined), nameOf })
  return Array.from({ length: 10 }, (_, seq) => seq).filter((seq) => plan.passesOver(loneRecord(seq)))
}

test('unfinished: everything but what failed for good or is done; what was not at fault goes again', () => {
  expect(passed('unfinished')).toEqual([0, 1, 2, 4, 6, 7])
})

test('failed: the failed ones alone', () => {
  expect(passed('failed')).toEqual([0, 2, 4, 5, 6, 8, 9])
})

test('all: both', () => {
  expect(passed('all')).toEqual([0, 2, 4, 6])
})

test('with content keys places mean nothing', () => {
  const run = { ...RUN, key: '/id' }
  expect(passed('unfinished', { run })).toEqual([1, 6, 7])
})

test('without notes on single records the mark alone decides', () => {
  expect(passed('unfinished', { done: new Set(), failed: new Map() })).toEqual([0, 1, 2, 3, 4])
  expect(passed('failed', { done: new Set(), failed: new Map() })).toHaveLength(10)
})

test('a text that differs from the one of the journal stops the run at the first record behind the mark', () => {
  const checksums = new TextChecksums({ input: 0, point: { offset: 3, crc: 1 } })
  checksums.update(0, 0, Buffer.from('abc'))
  const state: JournalState = {
    run: RUN,
    mark: { ...START_MARK, inOff: 20 },
    journalBytes: 0,
    outCrc: 0,
    isCut: false,
    done: new Set(),
    failed: new Map(),
  }
  const plan = new ResumePlan({ state, policy: 'unfinished', checksums, nameOf: () => '' })
  expect(plan.passesOver(loneRecord(0))).toBe(true)
  expect(() => plan.passesOver(loneRecord(2))).toThrow('changed')
  expect(() => plan.checkText()).toThrow(expect.objectContaining({ code: 'EVENKEEL_JOURNAL' }))
})

test('behind the mark a plan without notes has nothing more to say, unless only failed records are wanted', () => {
  const state = (failed: Map<string, NotedFailure>): JournalState => ({
    run: RUN,
    mark: { ...START_MARK, inOff: 20 },
    journalBytes: 0,
    outCrc: 0,
    isCut: false,
    done: new Set(),
    failed,
  })
  const pastAt = (policy: ResumePolicy, failed = new Map<string, NotedFailure>()): boolean[] => {
    const checksums = new TextChecksums(undefined)
    const plan = new ResumePlan({ state: state(failed), policy, checksums, nameOf: () => '' })
    return [0, 1, 2, 3].map((seq) => {
      const isOver = plan.passesOver(loneRecord(seq))
      if (plan.isPast) expect(isOver).toBe(false)
      return plan.isPast
    })
  }
  expect(pastAt('unfinished')).toEqual([false, false, true, true])
  expect(pastAt('all')).toEqual([false, false, true, true])
  expect(pastAt('failed')).toEqual([false, false, false, false])
  expect(pastAt('unfinished', new Map([['x', failure(true)]]))).toEqual([false, false, false, false])
})
