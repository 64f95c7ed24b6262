import { describe, expect, test } from 'vitest'
import { TaskNames } from '../../src/dispatcher/task-names.js'

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
    expect(early.kind).toBe('cpu')
    names.learn(['sum', 'fetch', 'other'], ['cpu', 'io', 'io'])
    expect(names.known).toBe(true)
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
