/** Runs that are killed at random moments and taken up until they end; afterwards each record is there exactly once. */

import { existsSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { seededRandom } from '../../src/base/random.js'
import { CliFolder, numberedLines } from './cli-process.js'

export interface KillVariant {
  readonly name: string
  readonly args: readonly string[]
  readonly gzip?: boolean
}

export const KILL_VARIANTS: readonly KillVariant[] = [
  { name: 'in order', args: [] },
  { name: 'as they come', args: ['--no-keep-order'] },
  { name: 'with content keys', args: ['--key', '/i', '--no-keep-order'] },
  { name: 'in order, from gzip', args: ['--key', '/i'], gzip: true },
]

const RECORDS = 300
/** A start takes about 200 ms on an idle machine, so some kills fall before the first record. */
const LATEST_KILL_MS = 900
const MOST_RUNS = 60

/** Kills `kills` runs in all; throws at the first record that is missing or doubled. */
export async function killAndResume(variant: KillVariant, seed: number, kills: number): Promise<void> {
  const random = seededRandom(seed)
  const folder = new CliFolder()
  try {
    let killed = 0
    for (let round = 0; killed < kills; round++) {
      const text = numberedLines(RECORDS, (i) => ({ ms: (i * 7) % 9 }))
      const input = folder.write(`in-${round}`, variant.gzip === true ? gzipSync(text) : text)
      const out = `out-${round}.jsonl`
      const args = ['--in', input, '--out', out, '--concurrency', '4', ...variant.args]
      let code: number | null = null
      for (let runs = 0; code !== 0; runs++) {
        if (runs > MOST_RUNS) throw new Error(`seed ${seed}, round ${round}: does not come to its end`)
        const killMs = killed < kills ? random() * LATEST_KILL_MS : undefined
        const result = await folder.map('napIo', [...args, '--resume'], {
          input: '',
          during: (child) => {
            if (killMs === undefined) return
            const timer = setTimeout(() => child.kill('SIGKILL'), killMs)
            child.once('exit', () => clearTimeout(timer))
          },
        })
        code = result.code
        if (result.signal === 'SIGKILL') killed++
        else if (code !== 0) throw new Error(`seed ${seed}, round ${round}: exit ${code}: ${result.stderr}`)
      }
      checkOutput(folder, out, `seed ${seed}, round ${round}`)
    }
  } finally {
    folder.remove()
  }
}

function checkOutput(folder: CliFolder, out: string, where: string): void {
  if (!existsSync(folder.file(out))) throw new Error(`${where}: no output`)
  const seen = (folder.values(out) as { i: number }[]).map(({ i }) => i).sort((a, b) => a - b)
  const wrong = seen.findIndex((i, index) => i !== index)
  if (wrong >= 0 || seen.length !== RECORDS) {
    throw new Error(`${where}: ${seen.length} of ${RECORDS} records, the first fault at ${wrong}: ${seen[wrong]}`)
  }
}
