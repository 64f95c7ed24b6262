/** Gates: limits on what tasks of one sort may do to something outside, such as a service that counts its calls. */

import { checkInteger, checkNumber, checkObject, ownOptions } from '../../base/checks.js'
import { MAX_TIMER_MS } from '../../base/clock.js'
import { OptionTypeError } from '../../base/errors.js'

/** One gate; what is not given does not limit. */
export interface GateOptions {
  /** Tasks that may be under way at once, from their turn until they settle or wait for their next attempt. */
  readonly concurrency?: number
  /** Tasks that may start in any stretch of `intervalMs`, each attempt counted; the two belong together. */
  readonly intervalCap?: number
  /** Length of that stretch, ms. */
  readonly intervalMs?: number
}

/** Gates by name, as tasks ask for them with `gate`. */
export type Gates = Readonly<Record<string, GateOptions>>

function gateOf(option: string, value: unknown): GateOptions {
  const gate = ownOptions(option, value, ['concurrency', 'intervalCap', 'intervalMs'])
  const { concurrency, intervalCap, intervalMs } = gate
  if (concurrency !== undefined) checkInteger(`${option}.concurrency`, concurrency, 1)
  if (intervalCap !== undefined) checkInteger(`${option}.intervalCap`, intervalCap, 1)
  if (intervalMs !== undefined) checkNumber(`${option}.intervalMs`, intervalMs, 1, MAX_TIMER_MS)
  if ((intervalCap === undefined) !== (intervalMs === undefined)) {
    throw new OptionTypeError(option, 'intervalCap and intervalMs say something only together')
  }
  if (concurrency === undefined && intervalCap === undefined) throw new OptionTypeError(option, 'limits nothing')
  return gate as GateOptions
}

/** A copy, so that what the caller changes later changes nothing. */
export function checkGates(value: unknown): ReadonlyMap<string, GateOptions> {
  const gates = value === undefined ? {} : checkObject('gates', value)
  return new Map(Object.keys(gates).map((name) => [name, gateOf(`gates.${name}`, gates[name])]))
}
