import '../support/seeded-properties.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.js'
import { CandidateList } from '../../src/selection/candidate-list.js'
import { misfit } from '../support/chi-square.js'
import { FakeLoadView } from '../support/fake-load-view.js'
import { scripted } from '../support/seeded-picks.js'

function listOf(values: readonly number[]): CandidateList {
  const list = new CandidateList()
  list.refresh(new FakeLoadView(values.length))
  list.values.set(values)
  return list
}

function found(list: CandidateList): number[] {
  return [...list.items.subarray(0, list.count)]
}

describe('CandidateList', () => {
  test.each([1, 64, 65, 300])('holds the candidates of %i workers in ascending order, whatever changes', (size) => {
    const change = fc.tuple(fc.nat(size - 1), fc.boolean())
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const view = new FakeLoadView(size)
        const list = new CandidateList()
        for (const [index, candidate] of changes) {
          view.set(index, { candidate })
          list.refresh(view)
          const expected = Array.from({ length: size }, (_, k) => k).filter((k) => view.isCandidate(k))
          expect(found(list)).toEqual(expected)
        }
      }),
      { numRuns: 20 },
    )
  })

  test('follows a view that grows and shrinks, and a second view of the same version', () => {
    const view = new FakeLoadView(2)
    const list = new CandidateList()
    for (const size of [2, 70, 100, 3]) {
      view.resize(size)
      expect(list.refresh(view)).toBe(size)
    }
    const [all, some] = [new FakeLoadView(70), new FakeLoadView([...new Array(69).fill({ candidate: false }), {}])]
    expect(all.version).toBe(some.version)
    expect(list.refresh(all)).toBe(70)
    expect(list.refresh(some)).toBe(1)
  })

  test('a worker it must not admit never appears', () => {
    const list = new CandidateList((index) => index !== 1)
    list.refresh(new FakeLoadView(3))
    expect(found(list)).toEqual([0, 2])
  })

  test('uniform draws every candidate alike and spends no draw on a single one', () => {
    const list = listOf([0, 0, 0, 0, 0])
    const random = seededRandom(5)
    const counts = [0, 0, 0, 0, 0]
    for (let k = 0; k < 20_000; k++) counts[list.uniform(random)]!++
    expect(misfit(counts, [1, 1, 1, 1, 1])).toBeLessThan(1)
    expect(listOf([7]).uniform(scripted())).toBe(0)
  })

  test('smallest finds the least value without a draw, and draws among ties', () => {
    expect(listOf([3, 1, 2]).smallest(scripted())).toBe(1)
    const tied = listOf([1, 4, 1, 1])
    expect([0, 0.4, 0.99].map((draw) => tied.smallest(scripted(draw)))).toEqual([0, 2, 3])
    expect(listOf([Number.NaN, Number.NaN]).smallest(scripted(0.9))).toBe(1)
  })

  test('positionOf subtracts until the draw turns negative and steps over zeros', () => {
    const list = listOf([5, 0, 3, 2])
    expect([0, 4.999, 5, 7.999, 8, 9.999].map((draw) => list.positionOf(draw))).toEqual([0, 0, 2, 2, 3, 3])
  })

  test('a draw that rounding left over goes to the last owner, and without an owner to nobody', () => {
    expect(listOf([5, 3, 0]).positionOf(8)).toBe(1)
    expect(listOf([0, 0]).positionOf(0)).toBe(-1)
  })
})
