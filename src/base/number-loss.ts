/**
 * Finds numbers that JSON.parse does not keep: integers beyond 2^53, more digits than a double holds, exponents
 * out of range. A cheap pattern (about 70 ns a record) decides whether the exact look is needed.
 */

/** Sixteen digits in a row are the fewest that a double may lose; exponents of three digits may overflow. */
const SUSPECT = /[0-9][0-9.]{15}|[0-9][eE][+-]?[0-9]{3}/

/** Strings are matched to be passed over. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g

/** Digits without zeros at either end, and the power of ten behind them: equal for equal values. */
function canonical(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().replace('-', '').split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const trimmed = digits.replace(/0+$/, '')
  if (trimmed === '') return '0'
  return `${trimmed}e${Number(exponent) - fraction.length + digits.length - trimmed.length}`
}

/** Whether parsing this valid JSON text changes a number in it. */
export function losesNumber(text: string): boolean {
  if (!SUSPECT.test(text)) return false
  for (const [token] of text.matchAll(STRING_OR_NUMBER)) {
    if (token.startsWith('"') || token.length < 5) continue
    const value = Number(token)
    if (!Number.isFinite(value) || canonical(token) !== canonical(String(value))) return true
  }
  return false
}
