/** Raw coverage of built files, as threads and child processes leave it, mapped back to the sources. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { mergeProcessCovs, type ProcessCoverage } from '@bcoe/v8-coverage'
import { convert } from 'ast-v8-to-istanbul'
import { parseAstAsync } from 'vite'

type IstanbulData = Awaited<ReturnType<typeof convert>>

/** Files merged at a time, so that what they hold is let go. */
const MERGE_AT = 50

/** Unites all raw files of `rawDir`, keeping scripts whose URL starts with one of `prefixes`. */
export function readRawCoverage(rawDir: string, prefixes: readonly string[]): ProcessCoverage {
  let pending: ProcessCoverage[] = []
  const names = existsSync(rawDir) ? readdirSync(rawDir).filter((name) => name.endsWith('.json')) : []
  for (const name of names) {
    const result = scriptsIn(readFileSync(`${rawDir}/${name}`, 'utf8'), prefixes)
    if (result.length > 0) pending.push({ result })
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

const OPENING = '{"scriptId":'

/**
 * The scripts of one raw file, cut out of its text: nineteen parts in twenty of its half megabyte are Node's own modules and
 * source maps, and there are thousands of files. One that was killed while it wrote leaves a torn file, whose torn
 * script is lost.
 */
function scriptsIn(text: string, prefixes: readonly string[]): ProcessCoverage['result'] {
  const scripts: ProcessCoverage['result'] = []
  for (const prefix of prefixes) {
    // A quote inside a text is escaped, so neither this nor the opening can be part of one.
    const url = `"url":"${prefix}`
    for (let at = text.indexOf(url); at >= 0; at = text.indexOf(url, at + 1)) {
      const next = text.indexOf(`,${OPENING}`, at)
      const end = next >= 0 ? next : text.indexOf('],"timestamp":', at)
      if (end >= 0) scripts.push(JSON.parse(text.slice(text.lastIndexOf(OPENING, at), end)))
    }
  }
  return scripts
}
