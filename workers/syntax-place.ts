/**
 * Finds the place of a syntax error. The error of a failed `import()` of an ES module has neither file nor line. So the
 * text is compiled once more as a script, with module syntax blanked out. The place counts only if that fails with the
 * same message. Relative imports are searched too; the first that fails so has the error.
 */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

/** The most files that are searched, beginning with the task module. This is a help for people, not a module loader. */
const MAX_FILES = 200

const RELATIVE_IMPORT = /\b(?:import|from)\s*['"](\.{1,2}\/[^'"]+)['"]/g

/** Module syntax and its replacement, which has the same length so that lines keep their place. */
const REPLACEMENTS: readonly [RegExp, string][] = [
  [/^[ \t]*import\b(?!\s*[(.])[^'"]*['"][^'"]*['"]/gm, ''],
  [/^[ \t]*export\s*(?:\*|\{)[^'";]*(?:\bfrom\s*['"][^'"]*['"]|\})/gm, ''],
  [/\bexport\s+default\b/g, '_ ='],
  [/\bexport\b(?=\s+(?:async|class|const|function|let|var)\b)/g, ''],
  [/\bimport\.meta\b/g, '({})'],
]

function asScript(source: string): string {
  let text = source
  for (const [syntax, stand] of REPLACEMENTS) {
    text = text.replace(syntax, (found) => stand + found.slice(stand.length).replace(/[^\n]/g, ' '))
  }
  // Modules are strict and may have top-level await.
  return `'use strict';(async()=>{${text}\n})`
}

/** `path:line` of the first frame, if the error has one. */
function placeInStack(error: SyntaxError): string | undefined {
  return /^(\S.*:\d+)\n/.exec(error.stack ?? '')?.[1]
}

function failureOf(source: string, filename: string): SyntaxError | undefined {
  try {
    new Script(asScript(source), { filename })
    return undefined
  } catch (error) {
    return error instanceof SyntaxError ? error : undefined
  }
}

/** `path:line` of the syntax error, or undefined when it is not found. Reads files. Does not throw. */
export function syntaxPlace(error: SyntaxError, moduleUrl: string): string | undefined {
  const known = placeInStack(error)
  if (known !== undefined) return known
  const urls = new Set([moduleUrl])
  for (const url of urls) {
    let source: string
    try {
      source = readFileSync(fileURLToPath(url), 'utf8')
    } catch {
      continue
    }
    const failure = failureOf(source, fileURLToPath(url))
    if (failure?.message === error.message) return placeInStack(failure)
    for (const [, path] of source.matchAll(RELATIVE_IMPORT)) {
      if (urls.size < MAX_FILES) urls.add(new URL(path!, url).href)
    }
  }
  return undefined
}
