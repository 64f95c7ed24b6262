import { describe, expect, test } from 'vitest'
import { TaskNames } from '../../../src/dispatcher/tasks/task-names.js'

describe('task names', () => {
  test('tasks of one name share their statistics', () => {
    const names = new TaskNames()
    expect(names.statsOf('a')).toBe(names.statsOf('a'))
    expect(names.statsOf('a')).not.toBe(names.statsOf('b'))
  })

  test('names called before the module was loaded learn their kind afterwards', () => {
    const names = new TaskNames()
    const [early, cpu] = [names.statsOf('fetch'), names.statsOf('sum')]
    expect(names.known).toBe(false)
    expect(names.offered).toEqual([])
    expect(early.kind).toBe('cpu')
    names.learn(['sum', 'fetch', 'other'], ['cpu', 'io', 'io'])
    expect(names.known).toBe(true)
    expect(names.offered).toEqual(['sum', 'fetch', 'other'])
    expect([early.kind, cpu.kind, names.statsOf('other').kind]).toEqual(['io', 'cpu', 'io'])
    expect(names.statsOf('fetch')).toBe(early)
  })

  test('a module that is loaded again may say otherwise', () => {
    const names = new TaskNames()
    names.learn(['a', 'b'], ['io', 'io'])
    const stats = names.statsOf('a')
    names.learn(['a'], ['cpu'])
    expect(stats.kind).toBe('cpu')
  })

  test('names that are not offered leave nothing behind, those of Object.prototype included', () => {
    const names = new TaskNames()
    names.learn(['a'], ['cpu'])
    for (const name of ['typo', 'toString', '__proto__', 'constructor']) {
      expect(names.statsOf(name)).not.toBe(names.statsOf(name))
      expect(names.statsOf(name)).toMatchObject({ name, kind: 'cpu', runs: 0 })
    }
  })
})

describe('what is counted', () => {
  test('has an entry for each name that was called, in the order of the first calls', () => {
    const names = new TaskNames()
    names.learn(['a', 'b'], ['cpu', 'cpu'])
    names.statsOf('b').tally.submitted++
    names.statsOf('a').tally.submitted += 2
    names.statsOf('b').tally.submitted++
    expect(names.counts().map(({ task, submitted }) => [task, submitted])).toEqual([
      ['b', 2],
      ['a', 2],
    ])
  })

  test('of names that the module does not offer is one entry, however many there are and whenever they came', () => {
    const names = new TaskNames()
    const early = names.statsOf('early')
    early.tally.submitted++
    names.statsOf('a').tally.submitted++
    names.learn(['a'], ['cpu'])
    // Its task is refused only now.
    early.tally.outcomes.rejected++
    for (const typo of ['b', 'c']) names.statsOf(typo).tally.submitted++
    names.tallyOf('d').submitted++
    names.tallyOf(Symbol('e')).submitted++
    const counts = names.counts()
    expect(counts.map(({ task, submitted }) => [task, submitted])).toEqual([
      ['a', 1],
      [undefined, 5],
    ])
    expect(counts[1]!.outcomes.rejected).toBe(1)
  })

  test("of a refused call is its name's, where the module offers it", () => {
    const names = new TaskNames()
    expect(names.tallyOf('a')).toBe(names.tallyOf('b'))
    names.learn(['a'], ['cpu'])
    expect(names.tallyOf('a')).toBe(names.statsOf('a').tally)
    expect(names.tallyOf('a')).not.toBe(names.tallyOf('b'))
  })

  test('keeps the name of a task that ran, whatever a later load of the module says', () => {
    const names = new TaskNames()
    names.learn(['a'], ['cpu'])
    const stats = names.statsOf('a')
    stats.tally.submitted++
    stats.record(10, true)
    names.learn([], [])
    expect(names.counts()).toMatchObject([{ task: 'a', submitted: 1 }])
  })

  test('of times adds up over all names', () => {
    const names = new TaskNames()
    for (const name of ['a', 'b']) {
      names.statsOf(name).record(500, true)
      names.statsOf(name).tally.waitTimes.record(50)
    }
    const { wait, run } = names.times()
    expect([wait.count, run.count, run.percentiles().max]).toEqual([2, 2, 0.5])
  })
})
