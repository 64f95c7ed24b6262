/** Which test files may share a process, told from what they import. Read by the configuration of vitest. */

import { dirname, join } from 'node:path'

/** Texts by path from the project's root. */
type Texts = ReadonlyMap<string, string>

/** A module that is replaced in one file would be replaced, or already loaded, in the files that share its process. */
const REPLACES_MODULES = /\bvi\.(?:mock|doMock)\(/

/** What starts threads or processes, Node's own ways and the modules of `src` that are whole pools; or needs a build. */
const STARTS =
  /\bdist\/|\/worker-urls\.js'|from 'node:child_process'|\bnew Worker\(|from '@lydell\/node-pty'|^import (?!type\b)[^;'"]*? from '[./]+\/src\/(?:index|dispatcher\/dispatcher|engine\/piscina-supervisor|batch\/(?:index|map-file|record-pool))\.js'/m

/** Simulations start nothing, and compute for seconds. */
const COMPUTES = /^test\/bench\/sim\//

const IMPORT = /^(?:import|export)\s+(?!type\b)[^;'"]*?from\s+'(\.[^']+)\.js'/gm

/** True for a file that needs a process of its own. */
export function needsOwnProcess(text: string): boolean {
  return REPLACES_MODULES.test(text)
}

/**
 * True for a file that starts no thread or process and needs no built file, itself or by what it imports outside `src`, and
 * does not compute for long.
 */
export function isUnit(path: string, texts: Texts): boolean {
  if (COMPUTES.test(path)) return false
  const seen = new Set([path])
  for (const file of seen) {
    const text = texts.get(file)
    if (text === undefined) continue
    if (STARTS.test(text)) return false
    for (const [, target] of text.matchAll(IMPORT)) seen.add(`${join(dirname(file), target!)}.ts`)
  }
  return true
}
