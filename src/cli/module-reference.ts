/** Resolves the command line's `MODULE[#task]`. */

import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { builtinTaskUrls } from '../base/worker-urls.js'
import { BatchUsageError } from '../batch/options/batch-errors.js'

export interface ModuleReference {
  readonly url: string
  readonly task: string | undefined
  readonly path: string
  readonly sha256: string
}

const BUILTIN = 'builtin:'

/**
 * A path (relative ones from the working directory), a `file:` URL, a package name, or `builtin:<name>`.
 * Throws `BatchUsageError` when the module does not exist.
 */
export function resolveModule(reference: string, folder = process.cwd()): ModuleReference {
  if (reference.startsWith(BUILTIN)) return builtin(reference.slice(BUILTIN.length))
  const { module, task } = split(reference, folder)
  const path = pathOf(module, folder)
  let text: Buffer
  try {
    text = readFileSync(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new BatchUsageError(`cannot read module ${module}: ${code === 'EISDIR' ? 'it is a directory' : message}`)
  }
  return { url: pathToFileURL(path).href, task, path, sha256: createHash('sha256').update(text).digest('hex') }
}

function builtin(name: string): ModuleReference {
  if (!Object.hasOwn(builtinTaskUrls, name)) {
    const known = Object.keys(builtinTaskUrls).join(', ')
    throw new BatchUsageError(`there is no built-in task '${name}'; known are ${known}`)
  }
  const path = fileURLToPath(builtinTaskUrls[name as keyof typeof builtinTaskUrls])
  const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex')
  return { url: pathToFileURL(path).href, task: name, path, sha256 }
}

/** The task follows the last `#`, unless the whole text is the name of a file. */
function split(reference: string, folder: string): { module: string; task: string | undefined } {
  const at = reference.lastIndexOf('#')
  if (at < 0 || (!reference.startsWith('file:') && existsSync(resolve(folder, reference)))) {
    return { module: reference, task: undefined }
  }
  const task = reference.slice(at + 1)
  if (task === '') throw new BatchUsageError(`no task is named after the # of ${reference}`)
  return { module: reference.slice(0, at), task }
}

function pathOf(module: string, folder: string): string {
  if (module.startsWith('file:')) {
    try {
      return fileURLToPath(module)
    } catch (error) {
      throw new BatchUsageError(`cannot read module ${module}: ${(error as Error).message}`)
    }
  }
  const path = resolve(folder, module)
  if (existsSync(path)) return path
  try {
    return createRequire(`${folder}/`).resolve(module)
  } catch {
    throw new BatchUsageError(`there is no module ${module}: neither the file ${path} nor a package of that name`)
  }
}
