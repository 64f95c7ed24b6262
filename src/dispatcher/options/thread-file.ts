/** Where evenkeel's thread file is, from what the caller gave. */

import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OptionRangeError, OptionTypeError } from '../../base/errors.js'

const HINT = "pass new URL('./thread.cjs', import.meta.url) or an absolute path"

/** The path of the file, undefined when none was given. Throws when it is not there. */
export function threadFileOf(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const path = pathOf(value)
  if (!existsSync(path)) {
    throw new OptionRangeError(
      'threadFile',
      `${path} does not exist; copy the file that require.resolve('evenkeel/thread') names to there`,
    )
  }
  return path
}

function pathOf(value: unknown): string {
  if (value instanceof URL || (typeof value === 'string' && value.startsWith('file:'))) {
    const { protocol, href } = new URL(value)
    if (protocol === 'file:') return fileURLToPath(href)
  }
  if (typeof value === 'string' && isAbsolute(value)) return value
  throw new OptionTypeError('threadFile', `expected the URL or the absolute path of a file; ${HINT}`)
}
