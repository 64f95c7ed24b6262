import { pathToFileURL } from 'node:url'
import type { CoverageProvider } from 'vitest/node'
import { projectRoot } from '../source/tree.js'
import { mapToSources, readRawCoverage } from './built-coverage.js'
import { threadCoverageDir } from './locations.js'

/** The part of istanbul's coverage map that is used here. */
interface LineMap {
  merge(data: unknown): void
  getCoverageSummary(): { lines: { total: number; covered: number; pct: number } }
}

/** Makes a provider add what threads and child processes ran, and end its report with the one figure. */
export function uniteThreads(provider: CoverageProvider): CoverageProvider {
  // The test processes load the module that the options name, and it must not be vitest's own there either.
  const resolve = provider.resolveOptions.bind(provider)
  provider.resolveOptions = () => ({ ...resolve(), provider: 'custom' })
  const generate = provider.generateCoverage.bind(provider)
  provider.generateCoverage = async (context) => {
    const map = (await generate(context)) as LineMap
    const prefixes = ['src', 'workers'].map((folder) => pathToFileURL(`${projectRoot}dist/${folder}/`).href)
    for (const data of await mapToSources(readRawCoverage(threadCoverageDir, prefixes))) map.merge(data)
    return map
  }
  const report = provider.reportCoverage.bind(provider)
  provider.reportCoverage = async (map, context) => {
    await report(map, context)
    const { total, covered, pct } = (map as LineMap).getCoverageSummary().lines
    console.log(`\nCoverage of src and workers, threads included: ${pct} % of lines (${covered} of ${total})`)
  }
  return provider
}
