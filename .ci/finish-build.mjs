// Ends the compilation: copies what is not compiled, and removes outputs whose source is gone.
// Outputs are never cleared up front, so a test run beside a build always finds a whole tree.

import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const outDir = join(root, 'dist')

/** Compiler suffixes, and the source suffix each comes from. */
const OUTPUT = /\.(?:d\.([cm]?)ts|([cm]?)js(?:\.map)?)$/

/** Folders of files that a browser gets as they are. */
const COPIED = ['src/dashboard/page']

for (const folder of COPIED.filter((path) => existsSync(join(root, path)))) {
  cpSync(join(root, folder), join(outDir, folder), { recursive: true })
}

for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue
  const path = join(entry.parentPath, entry.name)
  const place = relative(outDir, path)
  if (COPIED.some((folder) => place.startsWith(`${folder}/`)) && existsSync(join(root, place))) continue
  const match = OUTPUT.exec(path)
  const source = match && `${path.slice(0, match.index)}.${match[1] ?? match[2] ?? ''}ts`
  if (!source || !existsSync(join(root, relative(outDir, source)))) rmSync(path)
}
