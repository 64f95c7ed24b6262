/** The files of the project as texts by path, so that a rule can be tried on a made-up tree as well. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Texts by path from the project's root, with forward slashes. */
export type SourceTree = ReadonlyMap<string, string>

export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url))

/** Not part of the project: installed, built, measured, or the version history. */
const OUTSIDE = new Set(['node_modules', 'dist', 'coverage', '.git', '.tmp'])

/** Every file below `root`, by path; dot files count. */
export function listFiles(root = projectRoot, under = ''): string[] {
  return readdirSync(join(root, under), { withFileTypes: true }).flatMap((entry) => {
    const path = under === '' ? entry.name : `${under}/${entry.name}`
    // In a worktree, `.git` is a file.
    if (OUTSIDE.has(entry.name)) return []
    return entry.isDirectory() ? listFiles(root, path) : [path]
  })
}

/** Texts of all files whose path matches. */
export function readTree(matching: RegExp, root = projectRoot): SourceTree {
  const paths = listFiles(root).filter((path) => matching.test(path))
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

/** TypeScript files of the given top-level folders. */
export function readSources(...folders: string[]): SourceTree {
  return readTree(new RegExp(`^(?:${folders.join('|')})/.*\\.[cm]?ts$`))
}
