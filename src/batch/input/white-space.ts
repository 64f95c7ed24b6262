/** What makes a record blank: JSON's white space and nothing else. A byte order mark or a NUL is none. */

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20

/** Whether the bytes from `start` to before `end` are all white space. */
export function isWhiteSpace(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if (byte !== SPACE && byte !== CR && byte !== TAB && byte !== LF) return false
  }
  return true
}
