import { checkInteger, checkNumber, checkOneOf, ownOptions } from '../base/checks.js'
import { OptionRangeError, OptionTypeError } from '../base/errors.js'
import type { StrategyEntry, StrategyParameter } from './strategy-entry.js'

/**
 * The complete parameters of a strategy: what was given, checked, and the defaults for the rest. Unknown names, wrong
 * types and values out of range are refused with an error that names `strategy.<parameter>`.
 *
 * @param given the specification, its `name` included
 * @param size number of slots, when known: lists of weights must have that length
 */
export function resolveParameters(entry: StrategyEntry, given: object, size?: number): Record<string, unknown> {
  const values = ownOptions('strategy', given, ['name', ...entry.parameters.map(({ name }) => name)])
  const resolved: Record<string, unknown> = Object.create(null)
  for (const parameter of entry.parameters) {
    const value = values[parameter.name]
    resolved[parameter.name] = value === undefined ? parameter.default : checkParameter(parameter, value, size)
  }
  return resolved
}

function checkParameter(parameter: StrategyParameter, value: unknown, size: number | undefined): unknown {
  const option = `strategy.${parameter.name}`
  switch (parameter.type) {
    case 'integer':
      return checkInteger(option, value, parameter.min, parameter.max)
    case 'number':
      return checkNumber(option, value, parameter.min, parameter.max)
    case 'choice':
      return checkOneOf(option, value, parameter.allowed)
    case 'weights':
    case 'integer-weights':
      return checkWeights(option, value, parameter, size)
  }
}

function checkWeights(
  option: string,
  value: unknown,
  parameter: StrategyParameter & { type: 'weights' | 'integer-weights' },
  size: number | undefined,
): readonly number[] {
  if (!Array.isArray(value)) throw new OptionTypeError(option, 'expected an array of numbers, one per worker')
  if (value.length === 0 || (size !== undefined && value.length !== size)) {
    throw new OptionRangeError(option, `expected one weight per worker (${size ?? 'at least 1'}), got ${value.length}`)
  }
  const check = parameter.type === 'weights' ? checkNumber : checkInteger
  return Object.freeze(Array.from(value, (weight, slot) => check(`${option}[${slot}]`, weight, 0, parameter.max)))
}
