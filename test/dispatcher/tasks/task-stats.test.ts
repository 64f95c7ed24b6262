import { describe, expect, test } from 'vitest'
import { EvenkeelError } from '../../../src/base/errors.js'
import { outcomeOf, TaskNames, TaskStats, TaskTally, UNKNOWN_RUN_MS } from '../../../src/dispatcher/tasks/task-stats.js'
import { statsOf } from '../../support/new-task.js'

describe('expected run time', () => {
  test('without history it is that of the unknown', () => {
    expect(new TaskStats('a')).toMatchObject({
      meanMs: UNKNOWN_RUN_MS,
      okMeanMs: 0,
      runs: 0,
      longestMs: 0,
      medianMs: 0,
    })
  })

  test('the first run replaces it, the first few are averaged', () => {
    const stats = new TaskStats('a')
    stats.record(200, true)
    expect(stats.meanMs).toBeCloseTo(0.2, 9)
    stats.record(400, true)
    stats.record(600, false)
    expect(stats.meanMs).toBeCloseTo(0.4, 9)
    expect(stats.runs).toBe(3)
  })

  test('one run of 1.5 s among short ones hardly moves it', () => {
    const stats = statsOf('a', 'cpu', 0.05, 1_000)
    stats.record(1_500_000, true)
    expect(stats.meanMs).toBeGreaterThan(0.05)
    expect(stats.meanMs).toBeLessThan(0.07)
  })

  test('a name that turns long is believed within some hundred runs', () => {
    const stats = statsOf('a', 'cpu', 0.01, 10_000)
    for (let run = 0; run < 512; run++) stats.record(3_000, true)
    expect(stats.meanMs).toBeGreaterThan(2)
  })

  test('runs that failed say nothing of how long a good one takes', () => {
    const stats = new TaskStats('a')
    for (let run = 0; run < 100; run++) stats.record(20_000, true)
    for (let run = 0; run < 100; run++) stats.record(10, false)
    expect(stats.okMeanMs).toBeCloseTo(20, 6)
  })
})

describe('the longest run', () => {
  test('is the longest of the first ones, whatever they were, and known after 20', () => {
    const stats = statsOf('a', 'cpu', 5, 18)
    stats.record(90_000_000, true)
    expect(stats.isKnown).toBe(false)
    stats.record(5_000, true)
    expect(stats.isKnown).toBe(true)
    expect(stats.longestMs).toBeGreaterThan(89_000)
  })

  test('keeps a mode of one run in a hundred, and forgets one that comes no more', () => {
    const stats = statsOf('a', 'cpu', 1_000, 20)
    let least = Number.POSITIVE_INFINITY
    for (let run = 0; run < 1_000; run++) {
      stats.record(run % 100 === 0 ? 1_000_000 : 1_000, true)
      least = Math.min(least, stats.longestMs)
    }
    expect(least).toBeGreaterThan(900)
    for (let run = 0; run < 10_000; run++) stats.record(1_000, true)
    expect(stats.longestMs).toBeLessThan(2)
  })

  test('learns little from a stall of a known name, and all from runs that go on like that', () => {
    const stats = statsOf('a', 'cpu', 1, 100)
    stats.record(60_000_000, true)
    expect(stats.longestMs).toBe(250)
    for (let run = 0; run < 4; run++) stats.record(60_000_000, true)
    expect(stats.longestMs).toBe(60_000)
  })
})

describe('percentiles', () => {
  test('the median is the middle run', () => {
    const stats = new TaskStats('a')
    for (const ms of [1, 1, 1, 50, 90]) stats.record(ms * 1000, true)
    expect(Math.abs(stats.medianMs - 1)).toBeLessThan(0.125)
  })
})

describe('the names of tasks', () => {
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
})

describe('what is counted of a name', () => {
  test.each([
    ['EVENKEEL_TIMEOUT', 'timeout'],
    ['EVENKEEL_DEADLINE', 'timeout'],
    ['EVENKEEL_QUEUE_TIMEOUT', 'timeout'],
    ['EVENKEEL_ABORTED', 'aborted'],
    ['EVENKEEL_CLOSED', 'aborted'],
    ['EVENKEEL_WORKER_EXIT', 'crashed'],
    ['EVENKEEL_LOST_WITH_WORKER', 'crashed'],
    ['EVENKEEL_POISON', 'crashed'],
    ['EVENKEEL_UNKNOWN_TASK', 'rejected'],
    ['EVENKEEL_CLONE', 'error'],
    ['EVENKEEL_MODULE_LOAD', 'error'],
  ] as const)('a task that is rejected with %s comes to %s', (code, outcome) => {
    expect(outcomeOf(new EvenkeelError(code, 'because'))).toBe(outcome)
  })

  test('whatever else a task is rejected with is an error', () => {
    expect([new Error('mine'), { code: 'EVENKEEL_TIMEOUT' }, null].map(outcomeOf)).toEqual(['error', 'error', 'error'])
  })

  test('what one has counted another can take over', () => {
    const [a, b] = [new TaskTally(), new TaskTally()]
    a.submitted = 2
    b.submitted = 3
    b.outcomes.crashed = 4
    b.retries.thrown = 5
    a.runTimes.record(100)
    b.runTimes.record(900)
    b.waitTimes.record(10)
    b.totalTimes.record(20)
    a.add(b)
    const { submitted, outcomes, retries, run, wait, total } = a.counts('x')
    expect({ submitted, crashed: outcomes.crashed, ok: outcomes.ok, thrown: retries.thrown }).toEqual({
      submitted: 5,
      crashed: 4,
      ok: 0,
      thrown: 5,
    })
    expect([run.sumUs, wait.sumUs, total.sumUs]).toEqual([1_000, 10, 20])
  })

  test('counts are a copy', () => {
    const tally = new TaskTally()
    const before = tally.counts(undefined)
    tally.outcomes.ok++
    tally.runTimes.record(5)
    expect([before.outcomes.ok, before.run.sumUs, before.task]).toEqual([0, 0, undefined])
  })
})
