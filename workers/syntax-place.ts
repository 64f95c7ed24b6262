/**
 * Where a syntax error stands. V8 keeps that to itself for ES modules: the error of a failed `import()` has neither
 * file nor line. So the text is compiled once more as a script, with what only modules may hold blanked out; the
 * place is believed only if that fails with the very same message. The first relative import that fails so is the one.
 */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

/** Files that are looked at, beginning with the task module: an aid for people, not a module loader. */
const MAX_FILES = 200

const RELATIVE_IMPORT = /\b(?:import|from)\s*['"](\.{1,2}\/[^'"]+)['"]/g

/** Module syntax, and what stands in its place at the same length, so that lines stay where they are. */
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
  // Modules are strict and may await at the top.
  return `'use strict';(async()=>{${text}\n})`
}

/** `path:line` of the first frame, where the error came with one. */
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

/** `path:line` of what the error is about, or undefined when it cannot be told. Reads files; does not throw. */
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
