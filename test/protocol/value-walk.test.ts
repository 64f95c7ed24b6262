import { expect, test } from 'vitest'
import { type Judge, ValueWalk } from '../../src/protocol/value-walk.js'

const isMarked = (value: unknown) => typeof value === 'function'
const JUDGE: Judge = {
  met: (value) => (isMarked(value) ? 'marked' : undefined),
  opens: (object) => !(object instanceof Date),
  threw: (error) => `threw ${(error as Error).message}`,
}
const walk = (value: unknown, most = 1_000, moved?: unknown[]) => new ValueWalk(JUDGE, most, moved).run(value, 'root')

test('names the shortest path, in the order of the members', () => {
  expect(walk({ a: { b: { c() {} } }, d: [0, () => 1], e: [() => 1] })).toEqual({ path: 'root.d[1]', reason: 'marked' })
  expect(walk(() => 1)?.path).toBe('root')
})

test('does not open what the judge keeps closed, nor what is moved', () => {
  const date = Object.assign(new Date(), { fn() {} })
  expect(walk({ date })).toBeUndefined()
  const moved = { fn() {} }
  expect(walk({ moved }, 1_000, [moved])).toBeUndefined()
})

test('tells what a getter threw, at its place', () => {
  const value = {
    deep: {
      get 'a b'(): never {
        throw new Error('mine')
      },
    },
  }
  expect(walk(value)).toEqual({ path: 'root.deep["a b"]', reason: 'threw mine' })
})

test('looks at so many members and no more', () => {
  expect(walk([1, 2, 3, () => 1], 3)).toBeUndefined()
  expect(walk([1, 2, 3, () => 1], 5)?.path).toBe('root[3]')
})

test('tells the judge which objects had no members', () => {
  const leaves: unknown[] = []
  const judge: Judge = {
    met: () => undefined,
    opens: () => true,
    opened: (object, isLeaf) => void (isLeaf && leaves.push(object)),
  }
  new ValueWalk(judge, 100, []).run({ a: [], b: [1], c: {} }, 'root')
  expect(leaves).toEqual([[], {}])
})
