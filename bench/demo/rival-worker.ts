/** What the rivals run: the same work as an identity task of `evenkeel map`, parse and write included. */

function roundTrip(line: string): string {
  return JSON.stringify(JSON.parse(line))
}

/** One line, or a batch of them. */
export function mapLines(lines: string | readonly string[]): string | string[] {
  return typeof lines === 'string' ? roundTrip(lines) : lines.map(roundTrip)
}
