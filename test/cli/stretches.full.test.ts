import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CliFolder, numberedLines } from './cli-process.js'

/** Fast enough that records travel together after a moment; the odd ones come late. */
const TASKS = `
export const echo = (value) => value
export function odd({ i }) {
  if (i === 60_000) { const end = performance.now() + 2500; while (performance.now() < end); }
  if (i === 61_000) throw new RangeError('no ' + i)
  if (i === 62_000) return 'x'.repeat(100_000)
  return i
}
export async function asynchronous({ i }) { if (i === 60_000) throw new TypeError('no'); return i }
export function leaving({ i }) { if (i === 60_000) process.exit(3); return i }
export const kinds = { io: 'io' }
export async function io({ i }) { return i }
`

const COUNT = 80_000

let folder: CliFolder
beforeAll(() => {
  folder = new CliFolder()
  folder.write('fast.mjs', TASKS)
  folder.write('fast.jsonl', numberedLines(COUNT).replace('{"i":65000}', '{bad'))
})
afterAll(() => folder.remove())

async function run(task: string, more: readonly string[] = []) {
  const out = `${task}.out`
  const args = ['--in', 'fast.jsonl', '--out', out, '--force', '-j', '2', '--no-journal', ...more]
  const result = await folder.run(['map', `./fast.mjs#${task}`, ...args])
  return { ...result, values: folder.values(out) as (number | string)[] }
}

function missing(values: readonly unknown[]): number[] {
  const seen = new Set(values)
  expect(seen.size).toBe(values.length)
  return Array.from({ length: COUNT }, (_, i) => i).filter((i) => !seen.has(i))
}

describe('short records that travel together', () => {
  test('block, fail, are bad and are large each by itself', async () => {
    const { code, stderr, values } = await run('odd', ['--no-keep-order'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/line 61001, .*RangeError: no 61000/)
    expect(stderr).toMatch(/line 65001, .*BadRecord/)
    expect(missing(values)).toEqual([61_000, 62_000, 65_000])
    // The record that blocked is the last one: it held up no other.
    expect(values.at(-1)).toBe(60_000)
  })

  test('keep their order', async () => {
    const { values } = await run('odd', ['--keep-order'])
    const numbers = values.filter((value) => typeof value === 'number')
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    expect(numbers).toHaveLength(COUNT - 3)
  })

  test('may be asynchronous', async () => {
    const { stderr, values } = await run('asynchronous')
    expect(missing(values)).toEqual([60_000, 65_000])
    expect(stderr).toContain('TypeError: no')
  })

  test('lose only the one whose worker ends', async () => {
    const { stderr, values } = await run('leaving')
    expect(missing(values)).toEqual([60_000, 65_000])
    expect(stderr).toMatch(/line 60001, /)
  })

  test('of an I/O task go alone', async () => {
    const { values } = await run('io')
    expect(missing(values)).toEqual([65_000])
  })

  test('are taken up after a kill with every record once', { timeout: 120_000 }, async () => {
    for (const order of ['--keep-order', '--no-keep-order']) {
      const out = `kill${order}.out`
      const args = ['map', './fast.mjs#echo', '--in', 'fast.jsonl', '--out', out, '--resume', '-j', '2', order]
      let kills = 0
      for (let runs = 0; ; runs++) {
        expect(runs).toBeLessThan(30)
        const result = await folder.run(args, {
          input: '',
          during: (child) => {
            if (runs >= 6) return
            const timer = setTimeout(() => child.kill('SIGKILL'), 150 + runs * 110)
            child.once('exit', () => clearTimeout(timer))
          },
        })
        if (result.signal === null) break
        kills++
      }
      expect(kills).toBeGreaterThan(0)
      expect(missing((folder.values(out) as { i: number }[]).map(({ i }) => i))).toEqual([65_000])
    }
  })
})
