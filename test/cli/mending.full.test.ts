import { existsSync, rmSync, statSync, truncateSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.js'
import { CliFolder } from './cli-process.js'

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

/**
 * One run is killed and taken up, its function mended, its files cut or removed, its input lengthened or changed, in
 * random order; then it is brought to its end.
 */
async function round(random: () => number, variant: readonly string[]): Promise<void> {
  const folder = new CliFolder()
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const cut = (name: string, from: number): void => {
    const path = folder.file(name)
    if (existsSync(path)) truncateSync(path, Math.floor(statSync(path).size * (from + random() * (1 - from))))
  }
  const steps: string[] = []
  const input = Array.from({ length: RECORDS }, (_, i) => i)
  /** Numbers that were in the input once, and may have been done. */
  const replaced = new Set<number>()
  const writeInput = () => folder.write('in', input.map((i) => `${JSON.stringify({ i, ms: (i * 7) % 5 })}\n`).join(''))
  const changes: Record<string, () => void> = {
    'lengthen input': () => input.push(...Array.from({ length: 20 }, (_, at) => 10_000 + 100 * steps.length + at)),
    'change input': () => {
      const at = Math.floor(random() * input.length)
      replaced.add(input[at]!)
      input[at] = 20_000 + steps.length
    },
  }
  let isChanged = false
  try {
    writeInput()
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
      const step = pick([
        'kill',
        'kill',
        'kill',
        'mend',
        'cut e',
        'remove e',
        'cut o',
        'cut journal',
        ...Object.keys(changes),
      ])
      steps.push(step)
      if (step === 'kill') {
        const killMs = 100 + random() * 500
        const policy = pick(['unfinished', 'failed', 'all'])
        await folder.run([...args, `--resume=${policy}`, ...(isChanged ? ['--resume-anyway'] : [])], {
          during: (child) => {
            const timer = setTimeout(() => child.kill('SIGKILL'), killMs)
            child.once('exit', () => clearTimeout(timer))
            child.stdin?.end()
          },
        })
      } else if (step === 'mend') writeTask(folder, pick(FAULTS))
      else if (step === 'remove e') rmSync(folder.file('e'), { force: true })
      else if (step === 'cut journal') cut('o.journal', 0.5)
      else if (changes[step] !== undefined) {
        changes[step]()
        isChanged = true
        writeInput()
      } else cut(step.slice(-1), 0)
    }
    const last = [...args, `--resume=${pick(['unfinished', 'all'])}`]
    let { code, stderr } = await folder.run(last)
    const where = steps.join(', ')
    if (code === 4 && isChanged) ({ code, stderr } = await folder.run([...last, '--resume-anyway']))
    // Without the first line of its journal nobody knows whose output it is.
    if (code === 2) return
    if (code === 4 && isChanged) {
      expect([where, stderr]).toEqual([where, expect.stringContaining('input was changed in a part that is already')])
      return
    }
    const ok = (folder.values('o') as { i: number }[]).map(({ i }) => i)
    const failed = (folder.values('e') as { record: string }[]).map(({ record }) => JSON.parse(record).i as number)
    const held = new Set([...ok, ...failed])
    expect([where, held.size]).toEqual([where, ok.length + failed.length])
    expect([where, input.filter((i) => !held.has(i))]).toEqual([where, []])
    for (const i of input) held.delete(i)
    expect([where, [...held].filter((i) => !replaced.has(i))]).toEqual([where, []])
    expect([where, stderr]).toEqual([where, expect.stringContaining(`ok=${ok.length} failed=${failed.length} `)])
    expect([where, code]).toEqual([where, failed.length > 0 ? 1 : 0])
  } finally {
    folder.remove()
  }
}

describe('after kills, mended functions, cut files and changed inputs in any order', () => {
  for (const [index, variant] of [[], ['--no-keep-order'], ['--key', '/i', '--no-keep-order']].entries()) {
    test(`exit code and summary say what the files hold: ${variant.join(' ') || 'in order'}`, {
      timeout: 600_000,
    }, async () => {
      const random = seededRandom(500 + index)
      for (let at = 0; at < ROUNDS; at++) await round(random, variant)
    })
  }
})
