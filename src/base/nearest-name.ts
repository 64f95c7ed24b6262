/** Which of the known names a misspelt one was probably meant to be. */

/** One slip for every three characters of the longer name may be a slip; more is another word. */
const CHARS_PER_SLIP = 3

/** The name with the fewest slips (characters too many, missing or wrong; case does not count), if they are few. */
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

/** Names that a message lists: all options of a dispatcher; a longer list helps nobody. */
const LISTED = 30

/** Names that are compared with the wrong one, about 1 µs each. */
const SEARCHED = 100

/** What to say of a name that there is not: the one that was meant, or those that there are, led in by `lead`. */
export function adviceOnName(given: string, names: readonly string[], lead: string): string {
  // Every call of a task by a wrong name asks, so the search has a bound.
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
