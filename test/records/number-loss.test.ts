import fc from 'fast-check'
import { expect, test } from 'vitest'
import { losesNumber, mayLoseNumber } from '../../src/records/record-codec.js'

test('numbers that a double cannot hold are found', () => {
  for (const text of [
    '9007199254740993',
    '{"a":[1,-12345678901234567890]}',
    '1e400',
    '1E+999',
    '1e-400',
    '0.12345678901234567891',
    '12345678.901234567891',
    '3.141592653589793238462643',
  ]) {
    expect([text, losesNumber(text)]).toEqual([text, true])
  }
})

test('numbers that survive, and digits in strings, are left alone', () => {
  for (const text of [
    '1',
    '9007199254740992',
    '9007199254740994',
    '1e21',
    '1e300',
    '100000000000000000000',
    '0.1',
    '1.7976931348623157e308',
    '5e-324',
    '0e999',
    '-0.0000000000000000',
    '1.50000000000000000000',
    '{"a":"9007199254740993","b\\"12345678901234567890":1}',
    '"1e400 \\\\"',
  ]) {
    expect([text, losesNumber(text)]).toEqual([text, false])
  }
})

test('whatever JSON writes, it reads back unchanged', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => !losesNumber(JSON.stringify(value))))
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => !losesNumber(JSON.stringify(value))),
  )
})

test('many texts together are suspect exactly when one of them has a long or a wide number', () => {
  const digits = fc.string({ unit: fc.constantFrom('0', '7', '.', 'e', 'E', '+', '-', ',', ' '), maxLength: 24 })
  fc.assert(
    fc.property(fc.array(digits, { maxLength: 6 }), (texts) => {
      const suspect = texts.some((text) => /[0-9][0-9.]{15}|[0-9][eE][+-]?[0-9]{3}/.test(text))
      expect(mayLoseNumber(texts.join('\n'))).toBe(suspect)
    }),
    { numRuns: 2000, seed: 9 },
  )
})
