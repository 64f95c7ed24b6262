/**
 * Records per second of `evenkeel map` beside what people use instead, in one run: piscina by hand, xargs, GNU parallel.
 * `node dist/bench/demo/map-rivals.js [records] [rounds]`; two workers, results to /dev/null, medians of interleaved rounds. To start
 * the command takes as long as half a million records: only many more show what one costs.
 */

import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../src/base/clock.js'

const records = Number(process.argv[2] ?? 1_000_000)
const rounds = Number(process.argv[3] ?? 3)

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const cli = path('../../src/cli/main.js')
const script = path('rival-script.js')

const folder = mkdtempSync(join(tmpdir(), 'evenkeel-rivals-'))
const sink = openSync('/dev/null', 'w')

/** Lines of about 54 bytes, written in pieces. */
function writeLines(name: string, count: number): string {
  const file = join(folder, name)
  const fd = openSync(file, 'w')
  for (let first = 0; first < count; first += 10_000) {
    const lines = Array.from({ length: Math.min(10_000, count - first) }, (_, at) => {
      const id = first + at
      return `{"id":${id},"name":"record number ${id}","ok":true}\n`
    })
    writeSync(fd, lines.join(''))
  }
  closeSync(fd)
  return file
}

interface Contender {
  readonly name: string
  readonly count: number
  readonly command: string
  readonly args: (input: string) => readonly string[]
}

const task = join(folder, 'task.mjs')
const lineScript = join(folder, 'lines.mjs')
writeFileSync(task, 'export default (value) => value\nexport const batch = (values) => values\n')
writeFileSync(
  lineScript,
  `import { createInterface } from 'node:readline'
for await (const line of createInterface({ input: process.stdin })) process.stdout.write(JSON.stringify(JSON.parse(line)) + '\\n')`,
)

const map = (name: string, more: readonly string[], reference = task): Contender => ({
  name,
  count: records,
  command: process.execPath,
  args: (input) => [cli, 'map', reference, '--in', input, '-j', '2', '--progress', 'none', ...more],
})
const piscina = (name: string, count: number, size: number): Contender => ({
  name,
  count,
  command: process.execPath,
  args: (input) => [script, input, String(size)],
})
const shell = (name: string, count: number, line: string): Contender => ({
  name,
  count,
  command: 'sh',
  args: (input) => ['-c', `${line} < '${input}'`],
})

const contenders: readonly Contender[] = [
  map('evenkeel map', ['--no-keep-order']),
  map('evenkeel map, in order', ['--keep-order']),
  map('evenkeel map --batch 100', ['--no-keep-order', '--batch', '100'], `${task}#batch`),
  piscina('piscina, one record a task', Math.min(records, 200_000), 1),
  piscina('piscina, batches of 100 by hand', records, 100),
  shell(
    'xargs -P2',
    100,
    `xargs -P2 -d '\\n' -n1 '${process.execPath}' -p 'JSON.stringify(JSON.parse(process.argv[1]))'`,
  ),
  shell(
    'parallel -j2',
    100,
    `parallel --will-cite -j2 "'${process.execPath}' -p 'JSON.stringify(JSON.parse(process.argv[1]))' {}"`,
  ),
  shell(
    'parallel --pipe -j2',
    records,
    `parallel --will-cite -j2 --pipe --block 1M '${process.execPath}' '${lineScript}'`,
  ),
]

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

try {
  const inputs = new Map(
    [...new Set(contenders.map(({ count }) => count))].map((count) => [count, writeLines(`${count}`, count)]),
  )
  const rates = new Map<string, number[]>()
  for (let round = 0; round < rounds; round++) {
    for (const { name, count, command, args } of contenders) {
      const startMs = systemClock.nowMs()
      const { status, stderr } = spawnSync(command, args(inputs.get(count)!), {
        stdio: ['ignore', sink, 'pipe'],
        encoding: 'utf8',
      })
      if (status !== 0) {
        const lines = stderr.trim().split('\n')
        const reason = lines.find((line) => /error/i.test(line)) ?? lines.at(-1)
        process.stdout.write(`${name}: not measured in round ${round + 1}: ${reason}\n`)
        continue
      }
      const rate = (count * 1000) / (systemClock.nowMs() - startMs)
      rates.set(name, [...(rates.get(name) ?? []), rate])
    }
  }
  const own = median(rates.get('evenkeel map') ?? [])
  for (const [name, values] of rates) {
    const rate = median(values)
    process.stdout.write(
      `${name.padEnd(34)} ${rate.toFixed(0).padStart(9)} records/s   evenkeel map is ${(own / rate).toFixed(2)} times that\n`,
    )
  }
} finally {
  rmSync(folder, { recursive: true })
}
