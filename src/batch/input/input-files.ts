/** Finds the inputs that the user named: files, `-` for standard input, and glob patterns, in the given order. */

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { BatchInputError } from '../options/batch-errors.js'
import { type ByteSource, fileSource, streamSource } from './byte-source.js'

/**
 * Files that match a pattern are sorted by name. Throws `BatchInputError` for a name or pattern without a file. Nothing is
 * opened yet: each input is when its turn comes. Without `standardInput`, that of the process is looked at if it is named.
 */
export async function findInputs(names: readonly string[], standardInput?: Readable): Promise<ByteSource[]> {
  const sources: ByteSource[] = []
  let takesStandardInput = false
  for (const name of names) {
    if (await isStandardInput(name)) {
      if (takesStandardInput) throw new BatchInputError('standard input is named twice', name)
      takesStandardInput = true
      // Merely looking at `process.stdin` opens it, which an app that maps files must not be made to do.
      sources.push(streamSource('standard input', standardInput ?? process.stdin))
    } else for (const path of await pathsOf(name)) sources.push(await fileSource(path))
  }
  return sources
}

/** The device as well, unless it is a file: opened anew, a pipe would be read twice and a socket cannot be. */
async function isStandardInput(name: string): Promise<boolean> {
  if (name === '-') return true
  if (name !== '/dev/stdin' && name !== '/dev/fd/0') return false
  return stat(name).then(
    (info) => !info.isFile(),
    () => false,
  )
}

async function pathsOf(name: string): Promise<string[]> {
  if (!/[*?[{]/.test(name) || (await exists(name))) return [name]
  const found: string[] = []
  for (const pattern of expandBraces(name)) {
    const segments = pattern.split('/')
    const root = segments[0] === '' ? '/' : ''
    await walk(root, root === '/' ? segments.slice(1) : segments, found)
  }
  if (found.length === 0) throw new BatchInputError(`no file matches ${name}`, name)
  return [...new Set(found)].sort()
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** `a{b,c}` is `ab` and `ac`; nested braces from the inside out. */
function expandBraces(pattern: string): string[] {
  const match = /^(.*)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(pattern)
  if (match === null) return [pattern]
  const [, before = '', choices = '', after = ''] = match
  return choices.split(',').flatMap((choice) => expandBraces(before + choice + after))
}

/** `*` and `?` match within a name, `[…]` one character, `**` any depth of folders. Hidden names only by a leading dot. */
function segmentPattern(segment: string): RegExp {
  const source = segment.replace(/\[!?[^\]]+\]|[\\^$.|?*+()[\]{}]/g, (part) => {
    if (part === '*') return '[^/]*'
    if (part === '?') return '[^/]'
    if (part.length > 1) return part.replace(/^\[!/, '[^').replaceAll('\\', '\\\\')
    return `\\${part}`
  })
  return new RegExp(`^${segment.startsWith('.') ? '' : '(?!\\.)'}${source}$`, 's')
}

async function walk(folder: string, segments: readonly string[], found: string[]): Promise<void> {
  const [segment = '', ...rest] = segments
  if (segment === '**') {
    await walk(folder, rest, found)
    for (const name of await names(folder, 'folders')) {
      if (!name.startsWith('.')) await walk(join(folder, name), segments, found)
    }
    return
  }
  if (!/[*?[]/.test(segment)) {
    const path = join(folder, segment)
    if (rest.length > 0) await walk(path, rest, found)
    else if (
      await stat(path).then(
        (info) => !info.isDirectory(),
        () => false,
      )
    )
      found.push(path)
    return
  }
  const pattern = segmentPattern(segment)
  for (const name of await names(folder, rest.length > 0 ? 'folders' : 'files')) {
    if (!pattern.test(name)) continue
    if (rest.length > 0) await walk(join(folder, name), rest, found)
    else found.push(join(folder, name))
  }
}

async function names(folder: string, wanted: 'folders' | 'files'): Promise<string[]> {
  const entries = await readdir(folder === '' ? '.' : folder, { withFileTypes: true }).catch(() => [])
  const fits: string[] = []
  for (const entry of entries) {
    // A link counts as what it leads to, except that `**` must not run in circles: links to folders are not entered.
    const isFolder = entry.isDirectory()
    if (wanted === 'folders' ? isFolder : !isFolder) fits.push(entry.name)
  }
  return fits
}
