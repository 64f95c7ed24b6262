/** Advice for an unknown name: the closest known name, or the list of known names. */

/** A name may have one slip for every three characters of the longer name. With more it is another word. */
const CHARS_PER_SLIP = 3

/**
 * The name with the fewest slips (extra, missing or wrong characters; case does not count), or undefined if all have
 * many.
 */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined
  let fewest = Number.POSITIVE_INFINITY
  for (const name of names) {
    const slips = editDistance(given.toLowerCase(), name.toLowerCase())
    if (slips >= fewest || slips * CHARS_PER_SLIP > Math.max(given.length, name.length)) continue
    nearest = name
    fewest = slips
  }
  return nearest
}

/** The most names in a message: enough for all options of a dispatcher. */
const LISTED = 30

/** The most names that are compared with the unknown one, about 1 µs each. */
const SEARCHED = 100

/** `did you mean …?` when a known name is close, else the list of known names after `lead`. */
export function adviceOnName(given: string, names: readonly string[], lead: string): string {
  // Every call with an unknown task name comes here, so the search is bounded.
  const nearest = nearestName(given, names.slice(0, SEARCHED))
  if (nearest !== undefined) return `did you mean '${nearest}'?`
  const listed = names.length === 0 ? 'none' : names.slice(0, LISTED).join(', ')
  return `${lead} ${listed}${names.length > LISTED ? ', …' : ''}`
}

/** Levenshtein's distance, by rows (Wagner and Fischer, 1974); O(length × length). */
function editDistance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const changed = above[column - 1]! + (one[row - 1] === other[column - 1] ? 0 : 1)
      current.push(Math.min(changed, above[column]! + 1, current[column - 1]! + 1))
    }
    above = current
  }
  return above[other.length]!
}
