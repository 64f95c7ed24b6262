import { expect, test } from 'vitest'
import { thrownText } from '../../src/records/plain-error.js'

test('every thrown value has a text, even one that refuses to be text', () => {
  const values = [null, undefined, 'no', 5, Symbol('s'), { a: 1 }, Object.create(null)]
  expect(values.map(thrownText)).toEqual([
    'the task threw null: null',
    'the task threw undefined: undefined',
    'the task threw string: no',
    'the task threw number: 5',
    'the task threw symbol: Symbol(s)',
    'the task threw object: { a: 1 }',
    'the task threw object: [Object: null prototype] {}',
  ])
})
