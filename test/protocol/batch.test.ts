import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../support/seeded-properties.js'
import { keyOf } from '../../src/board/claims.js'
import { CLAIMS_PER_LANE } from '../../src/board/layout.js'
import {
  answerHead,
  answerKey,
  answerStatus,
  FAILED,
  headAttempt,
  headHasTree,
  headNameIndex,
  headWantsItems,
  headWantsProgress,
  MAX_TASK_NAMES,
  OK,
  ON_BOARD,
  SKIPPED,
  taskHead,
  withTree,
} from '../../src/protocol/batch.js'

/** Larger integers are boxed, and written to a message several times slower. */
const SMALL = 2 ** 30

describe('the head of a task', () => {
  test('holds name, attempt, wishes for progress and items, and a tree in one small integer', () => {
    const name = fc.integer({ min: 0, max: MAX_TASK_NAMES - 1 })
    const attempt = fc.integer({ min: 1, max: (1 << 13) - 1 })
    fc.assert(
      fc.property(name, attempt, fc.boolean(), fc.boolean(), fc.boolean(), (nameIndex, tries, wants, items, tree) => {
        const lone = taskHead(nameIndex, tries, wants, items)
        const head = tree ? withTree(lone) : lone
        expect([headHasTree(lone), headHasTree(head)]).toEqual([false, tree])
        expect([headNameIndex(head), headAttempt(head)]).toEqual([nameIndex, tries])
        expect([headWantsProgress(head), headWantsItems(head)]).toEqual([wants, items])
        expect(head).toBeGreaterThanOrEqual(0)
        expect(head).toBeLessThan(SMALL)
      }),
    )
  })

  test('counts attempts up to 8,191 and keeps that number beyond', () => {
    expect(headAttempt(taskHead(5, 40_000, true, true))).toBe(8_191)
    expect(headNameIndex(taskHead(5, 40_000, true, true))).toBe(5)
  })
})

describe('the head of an answer', () => {
  test('holds any key and any status in one small integer', () => {
    const index = fc.integer({ min: 0, max: CLAIMS_PER_LANE - 1 })
    const generation = fc.integer({ min: 0, max: (1 << 18) - 1 })
    fc.assert(
      fc.property(
        index,
        generation,
        fc.constantFrom(FAILED, OK, SKIPPED, ON_BOARD + 1, ON_BOARD + 5),
        (at, use, status) => {
          const head = answerHead(keyOf(at, use), status)
          expect([answerKey(head), answerStatus(head)]).toEqual([keyOf(at, use), status])
          expect(head).toBeGreaterThanOrEqual(0)
          expect(head).toBeLessThan(SMALL)
        },
      ),
    )
  })
})
