/**
 * Finds numbers that JSON.parse changes: integers beyond 2^53, more digits than a double holds, exponents out of range.
 * Two cheap patterns (about 11 ns a record) decide whether the exact check is needed.
 */

/**
 * A double can lose digits from 16 digits on. The repetition is spelled out, because then the engine looks only at
 * every eighth character of ordinary text: 4 ns a record instead of 53.
 */
const LONG = new RegExp(`[0-9]${'[0-9.]'.repeat(15)}`)
/** Exponents of three digits may overflow. */
const WIDE = /[0-9][eE][+-]?[0-9][0-9][0-9]/

/** Strings are matched so that numbers in them are skipped. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g

/** Digits without zeros at either end, and a power of ten. Equal for equal values. */
function canonical(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().replace('-', '').split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const trimmed = digits.replace(/0+$/, '')
  if (trimmed === '') return '0'
  return `${trimmed}e${Number(exponent) - fraction.length + digits.length - trimmed.length}`
}

/** False only if no number in these JSON texts, one or many in any order, can be changed by parsing. */
export function mayLoseNumber(text: string): boolean {
  return LONG.test(text) || WIDE.test(text)
}

/** Whether parsing this valid JSON text changes a number in it. */
export function losesNumber(text: string): boolean {
  if (!mayLoseNumber(text)) return false
  for (const [token] of text.matchAll(STRING_OR_NUMBER)) {
    if (token.startsWith('"') || token.length < 5) continue
    const value = Number(token)
    if (!Number.isFinite(value) || canonical(token) !== canonical(String(value))) return true
  }
  return false
}
