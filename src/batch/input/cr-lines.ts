/** Lines that end with a carriage return alone, as on the old Mac: to a reader that looks for line feeds they are one. */

import { isWhiteSpace } from './white-space.js'

const CR = 0x0d

/** What is wrong with such an input. */
export const CR_ALONE = "its lines end with a carriage return alone; tr '\\r' '\\n' converts them"

/**
 * Whether a text without any line feed is several such lines. As JSON it may still be one value, in which a carriage
 * return is white space, or blank.
 */
export function isCrLines(text: Buffer, isJson: boolean): boolean {
  const at = text.indexOf(CR)
  if (at < 0 || at === text.length - 1) return false
  if (!isJson) return true
  if (isWhiteSpace(text, 0, text.length)) return false
  try {
    JSON.parse(text.toString())
    return false
  } catch {
    return true
  }
}
