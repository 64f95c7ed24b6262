/**
 * When a run stops early: the grammar of GNU parallel's `--halt` (its manual page), as
 * `now|soon,fail|success|done=N|N%`.
 */

import { OptionRangeError } from '../../base/errors.js'

/** When a run stops before its end. */
export interface HaltRule {
  /** `soon` lets running records end; `now` aborts them. */
  readonly when: 'now' | 'soon'
  readonly why: 'fail' | 'success' | 'done'
  readonly limit: number
  /** True: `limit` is a share of the records settled so far, in percent. */
  readonly isPercent: boolean
}

export interface SettledCounts {
  readonly ok: number
  readonly failed: number
}

/**
 * A share means nothing before some records have settled. GNU parallel waits for three. Then `--max-errors 60%` would
 * stop a run with 30 % failures in 22 of 100 cases, depending on which records come first. After ten it is one case.
 */
const FEWEST_FOR_SHARE = 10

const GRAMMAR = /^(now|soon),(fail|success|done)=([0-9]+)(%?)$/

/** `undefined` for `never`. Throws `OptionRangeError` for what is not in the grammar. */
export function parseHalt(text: string): HaltRule | undefined {
  if (text === 'never') return undefined
  const [, when, why, limit, percent] = GRAMMAR.exec(text) ?? []
  const rule = { when, why, limit: Number(limit), isPercent: percent === '%' } as HaltRule
  if (when === undefined || rule.limit < 1 || (rule.isPercent && rule.limit > 100)) {
    throw new OptionRangeError(
      'halt',
      `expected never, or now|soon,fail|success|done=N|N% such as soon,fail=1, got '${text}'`,
    )
  }
  return rule
}

/** `N` or `N%`: the run stops soon once more records have failed than that. Zero is allowed. */
export function parseMaxErrors(text: string): HaltRule {
  const [, limit, percent] = /^([0-9]+(?:\.[0-9]+)?)(%?)$/.exec(text) ?? []
  if (limit === undefined || (percent === '' && limit.includes('.')) || (percent === '%' && Number(limit) > 100)) {
    throw new OptionRangeError('maxErrors', `expected a count or a percentage such as 5%, got '${text}'`)
  }
  if (percent === '%') return { when: 'soon', why: 'fail', limit: Number(limit), isPercent: true }
  return { when: 'soon', why: 'fail', limit: Number(limit) + 1, isPercent: false }
}

export function haltReached(rule: HaltRule, { ok, failed }: SettledCounts): boolean {
  const settled = ok + failed
  const count = rule.why === 'fail' ? failed : rule.why === 'success' ? ok : settled
  if (!rule.isPercent) return count >= rule.limit
  const enough = Math.max(FEWEST_FOR_SHARE, Math.ceil(100 / Math.max(rule.limit, 1)))
  return settled >= enough && count * 100 > rule.limit * settled
}

/** Why the run halts. The counts are told, because the rule may have been given as `--max-errors`. */
export function haltMessage({ when, why, limit, isPercent }: HaltRule, { ok, failed }: SettledCounts): string {
  return `halted by ${when},${why}=${limit}${isPercent ? '%' : ''}: ${failed} of ${ok + failed} records failed`
}
