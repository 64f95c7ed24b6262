import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchReport } from '../harness/report.js'
import { htmlReport } from './html.js'
import { markdownReport } from './markdown.js'

/** Writes `results.json`, `report.md` and `report.html` into the folder, which is made if it is not there. */
export function writeReport(report: BenchReport, folder: string): string[] {
  mkdirSync(folder, { recursive: true })
  const files: [name: string, text: string][] = [
    ['results.json', `${JSON.stringify(report)}\n`],
    ['report.md', markdownReport(report)],
    ['report.html', htmlReport(report)],
  ]
  return files.map(([name, text]) => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  })
}
