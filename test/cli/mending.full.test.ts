import { existsSync, rmSync, statSync, truncateSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.js'
import { CliFolder, numberedLines } from './cli-process.js'

const RECORDS = 400
const ROUNDS = 15

/** What may be wrong with the function at some time. */
const FAULTS = ['i % 3 === 0', 'i % 7 === 0', 'false', 'i > 200']

function writeTask(folder: CliFolder, fault: string): void {
  folder.write(
    'task.mjs',
    `export const kinds = { run: 'io' }
    export async function run({ i, ms }) {
      await new Promise((done) => setTimeout(done, ms))
      if (${fault}) throw new Error('bad ' + i)
      return { i }
    }`,
  )
}

/** One run is killed and taken up, its function mended, its files cut or removed, in random order; then it is brought to its end. */
async function round(random: () => number, variant: readonly string[]): Promise<void> {
  const folder = new CliFolder()
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const cut = (name: string, from: number): void => {
    const path = folder.file(name)
    if (existsSync(path)) truncateSync(path, Math.floor(statSync(path).size * (from + random() * (1 - from))))
  }
  const steps: string[] = []
  try {
    folder.write(
      'in',
      numberedLines(RECORDS, (i) => ({ ms: (i * 7) % 5 })),
    )
    writeTask(folder, FAULTS[0]!)
    const args = [
      'map',
      './task.mjs#run',
      '--in',
      'in',
      '--out',
      'o',
      '--errors',
      'e',
      '--concurrency',
      '4',
      ...variant,
    ]
    for (let left = 3 + Math.floor(random() * 5); left > 0; left--) {
      const step = pick(['kill', 'kill', 'kill', 'mend', 'cut e', 'remove e', 'cut o', 'cut journal'])
      steps.push(step)
      if (step === 'kill') {
        const killMs = 100 + random() * 500
        const policy = pick(['unfinished', 'failed', 'all'])
        await folder.run([...args, `--resume=${policy}`], {
          during: (child) => {
            const timer = setTimeout(() => child.kill('SIGKILL'), killMs)
            child.once('exit', () => clearTimeout(timer))
            child.stdin?.end()
          },
        })
      } else if (step === 'mend') writeTask(folder, pick(FAULTS))
      else if (step === 'remove e') rmSync(folder.file('e'), { force: true })
      else if (step === 'cut journal') cut('o.journal', 0.5)
      else cut(step.slice(-1), 0)
    }
    const { code, stderr } = await folder.run([...args, `--resume=${pick(['unfinished', 'all'])}`])
    // Without the first line of its journal nobody knows whose output it is.
    if (code === 2) return
    const ok = (folder.values('o') as { i: number }[]).map(({ i }) => i)
    const failed = (folder.values('e') as { record: string }[]).map(({ record }) => JSON.parse(record).i as number)
    const where = steps.join(', ')
    expect([where, [...ok, ...failed].sort((a, b) => a - b)]).toEqual([
      where,
      Array.from({ length: RECORDS }, (_, i) => i),
    ])
    expect([where, stderr]).toEqual([where, expect.stringContaining(`ok=${ok.length} failed=${failed.length} `)])
    expect([where, code]).toEqual([where, failed.length > 0 ? 1 : 0])
  } finally {
    folder.remove()
  }
}

describe('after kills, mended functions and cut files in any order', () => {
  for (const [index, variant] of [[], ['--no-keep-order'], ['--key', '/i', '--no-keep-order']].entries()) {
    test(`exit code and summary say what the files hold: ${variant.join(' ') || 'in order'}`, {
      timeout: 600_000,
    }, async () => {
      const random = seededRandom(500 + index)
      for (let at = 0; at < ROUNDS; at++) await round(random, variant)
    })
  }
})
