/** What is said of a thrown value that is no `Error`. */

/** Never throws, whatever the value does when it is turned into text. */
export function thrownText(thrown: unknown): string {
  return `the task threw ${thrown === null ? 'null' : typeof thrown}: ${shown(thrown)}`
}

function shown(value: unknown): string {
  try {
    return String(value)
  } catch {
    return 'a value without text'
  }
}
