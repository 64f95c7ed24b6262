/** Raw coverage of built files, as threads and child processes leave it, mapped back to the sources. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { mergeProcessCovs, type ProcessCoverage } from '@bcoe/v8-coverage'
import { convert } from 'ast-v8-to-istanbul'
import { parseAstAsync } from 'vite'

type IstanbulData = Awaited<ReturnType<typeof convert>>

/** Files merged at a time: one holds about 0.3 MB of Node's own modules, dropped when it is read. */
const MERGE_AT = 50

/** Unites all raw files of `rawDir`, keeping scripts whose URL starts with one of `prefixes`. */
export function readRawCoverage(rawDir: string, prefixes: readonly string[]): ProcessCoverage {
  let pending: ProcessCoverage[] = []
  const names = existsSync(rawDir) ? readdirSync(rawDir).filter((name) => name.endsWith('.json')) : []
  for (const name of names) {
    const result = resultsIn(readFileSync(`${rawDir}/${name}`, 'utf8'))
    const ours = result.filter(({ url }) => prefixes.some((prefix) => url.startsWith(prefix)))
    if (ours.length > 0) pending.push({ result: ours })
    if (pending.length >= MERGE_AT) pending = [mergeProcessCovs(pending)]
  }
  return mergeProcessCovs(pending)
}

/** Converts through the source map that lies beside each built file. */
export async function mapToSources(coverage: ProcessCoverage): Promise<IstanbulData[]> {
  return Promise.all(
    coverage.result.map(async (script) => {
      const path = fileURLToPath(script.url)
      const code = readFileSync(path, 'utf8')
      const sourceMap = JSON.parse(readFileSync(`${path}.map`, 'utf8'))
      sourceMap.sources = sourceMap.sources.map((source: string) => new URL(source, pathToFileURL(path)).href)
      return convert({ ast: parseAstAsync(code), code, sourceMap, wrapperLength: 0, coverage: script })
    }),
  )
}

/** What one process wrote. One that was killed while it wrote leaves a torn file, and is lost like any killed one. */
function resultsIn(text: string): ProcessCoverage['result'] {
  try {
    return (JSON.parse(text) as ProcessCoverage).result
  } catch {
    return []
  }
}
