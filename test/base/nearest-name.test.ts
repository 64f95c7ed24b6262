import fc from 'fast-check'
import { expect, test } from 'vitest'
import { adviceOnName, nearestName } from '../../src/base/nearest-name.js'

const NAMES = ['fetchPage', 'resize', 'sum', 'default']

test.each([
  ['fetchPgae', 'fetchPage'],
  ['fetchpage', 'fetchPage'],
  ['FetchPages', 'fetchPage'],
  ['resise', 'resize'],
  ['rezie', 'resize'],
  ['sun', 'sum'],
  ['defualt', 'default'],
])('%s was meant to be %s', (given, meant) => {
  expect(nearestName(given, NAMES)).toBe(meant)
})

test.each(['setup', 'x', '', 'fetch', 'toString'])('%j is none of them', (given) => {
  expect(nearestName(given, NAMES)).toBeUndefined()
})

test('the nearest of several is taken, the first of equally near ones', () => {
  expect(nearestName('taskB1', ['taskA', 'taskB', 'taskC'])).toBe('taskB')
  expect(nearestName('taskX', ['taskA', 'taskB'])).toBe('taskA')
})

test('a name of at least three characters with one character lost, doubled or changed is found', () => {
  const slips = [
    (name: string, at: number) => name.slice(0, at) + name.slice(at + 1),
    (name: string, at: number) => name.slice(0, at) + name[at] + name.slice(at),
    (name: string, at: number) => `${name.slice(0, at)}~${name.slice(at + 1)}`,
  ]
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{3,12}$/), fc.nat(), fc.constantFrom(...slips), (name, place, slip) => {
      expect(nearestName(slip(name, place % name.length), ['%%%%%%%%%%%%%%', name])).toBe(name)
    }),
  )
})

test('advice names what was meant, or what there is, at most thirty names', () => {
  const many = Array.from({ length: 40 }, (_, index) => `t${index}`)
  expect(adviceOnName('resise', NAMES, 'its tasks are')).toBe("did you mean 'resize'?")
  expect(adviceOnName('other', ['work', 'rest'], 'its tasks are')).toBe('its tasks are work, rest')
  expect(adviceOnName('other', many, 'known are')).toBe(`known are ${many.slice(0, 30).join(', ')}, …`)
  expect(adviceOnName('other', [], 'its tasks are')).toBe('its tasks are none')
})
