/** The files that the demonstration works on. */

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface ListedFile {
  readonly path: string
  readonly sizeBytes: number
}

/** Every regular file below the folder, largest first, so that no large one is left over for a single worker at the end. */
export async function listFiles(folder: string): Promise<ListedFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files: ListedFile[] = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files.push({ path, sizeBytes: (await stat(path)).size })
  }
  return files.sort((a, b) => b.sizeBytes - a.sizeBytes || (a.path < b.path ? -1 : 1))
}

/** At most `count` files of at most `maxBytes`, evenly from the whole list. */
export function sampleOf(files: readonly ListedFile[], count: number, maxBytes: number): ListedFile[] {
  const small = files.filter(({ sizeBytes }) => sizeBytes <= maxBytes)
  const step = Math.max(1, small.length / count)
  return Array.from({ length: Math.min(count, small.length) }, (_, index) => small[Math.floor(index * step)]!)
}
