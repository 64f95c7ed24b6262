/**
 * `npm start`: fingerprints every file under node_modules on all cores while one worker is blocked for two seconds,
 * then shows what became of the tasks, beside plain round robin on a sample.
 */

import { mkdirSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defaultParallelism } from '../../src/base/parallelism.js'
import { listFiles, sampleOf } from './file-list.js'
import { checkHashes } from './hash-check.js'
import { LiveScreen } from './live-screen.js'
import { BLOCK_MS, measuredRun } from './measured-run.js'
import { figuresTable, runFigures } from './run-figures.js'

/** Files of the comparison: the small ones, which a block of two seconds can only hurt by holding them. */
const SAMPLE_FILES = 1_000
const SAMPLE_MAX_BYTES = 2 ** 16

const root = fileURLToPath(new URL('../../../', import.meta.url))
// A block is only worth looking at when somebody else could do the work.
const workers = Math.max(2, defaultParallelism())
const out = process.stdout
const screen = new LiveScreen(out)
const show = screen.show.bind(screen)

const files = await listFiles(`${root}node_modules`)
out.write(
  `\n${files.length} files under node_modules, ${workers} workers; in the middle one is blocked for ${BLOCK_MS / 1000} s\n\n`,
)
const full = await measuredRun(files, { title: 'fingerprint', workers, show })
screen.next()

const folder = `${root}.tmp`
mkdirSync(folder, { recursive: true })
const path = `${folder}/fingerprints.jsonl`
writeFileSync(path, full.files.map(({ print }) => `${JSON.stringify(print)}\n`).join(''))

const sample = sampleOf(files, SAMPLE_FILES, SAMPLE_MAX_BYTES)
out.write(`\nthe same block on a sample of ${sample.length} small files, twice\n\n`)
const balanced = await measuredRun(sample, { title: 'range table', workers, show })
screen.next()
const pushed = await measuredRun(sample, {
  title: 'round robin',
  workers,
  pool: { mode: 'push', strategy: 'round-robin' },
  show,
})
screen.next()

const runs = [
  { name: 'all files', figures: runFigures(full) },
  { name: 'sample', figures: runFigures(balanced) },
  { name: 'sample, round robin', figures: runFigures(pushed) },
]
out.write(`\n${figuresTable(runs)}\n\n`)
out.write('  latency: from submission to answer; behind the block: at the blocked worker until it was free again\n')
const check = checkHashes(full.files)
const agreement =
  check === undefined
    ? 'no sha256sum here to check them with'
    : `sha256sum agrees on ${check.agreeing} of ${check.checked}`
out.write(`  hashes in ${relative(process.cwd(), path)}: ${agreement}\n\n`)
if (check !== undefined && check.agreeing < check.checked) process.exitCode = 1
