/** The URL of the task module, from the caller's `module` option. */

import { existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isAbsolute, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { OptionTypeError } from './errors.js'

const HINT = "pass new URL('./tasks.js', import.meta.url), an absolute path, or a package name"

/**
 * The URL that the worker imports. A package name is resolved from the working directory, as `require` does. If that
 * finds nothing, the worker imports the name as it is. Throws for a relative path, because only the caller knows its
 * base.
 */
export function moduleUrlOf(module: unknown): string {
  if (module instanceof URL) return module.href
  if (typeof module !== 'string') throw new OptionTypeError('module', `expected a URL or a string; ${HINT}`)
  if (module === '') throw new OptionTypeError('module', `is empty; ${HINT}`)
  if (isAbsolute(module)) return pathToFileURL(module).href
  if (/^(file|data|node):/.test(module)) return module
  if (/^\.\.?($|[\\/])/.test(module)) {
    throw new OptionTypeError('module', `'${module}' is relative, which means nothing in a worker; ${HINT}`)
  }
  if (existsSync(module) && statSync(module).isFile()) {
    throw new OptionTypeError('module', `'${module}' names a package, not the file in the working directory; ${HINT}`)
  }
  try {
    return pathToFileURL(createRequire(join(process.cwd(), 'noop.js')).resolve(module)).href
  } catch {
    return module
  }
}
