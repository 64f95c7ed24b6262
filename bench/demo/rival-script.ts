/**
 * What one would write by hand with piscina: lines read, handed out one by one or in batches, results written.
 * Arguments: input file, lines in a batch.
 */

import { createReadStream, openSync, writeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'

const [, , input = '', size = '1'] = process.argv
const batchSize = Number(size)
const filename = fileURLToPath(new URL('rival-worker.js', import.meta.url))
// The settings with which piscina does best here: no busy waiting, several tasks a worker.
const pool = new Piscina({
  filename,
  name: 'mapLines',
  minThreads: 2,
  maxThreads: 2,
  concurrentTasksPerWorker: 8,
  atomics: 'disabled',
})
const out = openSync('/dev/null', 'w')
const mostInFlight = batchSize === 1 ? 1024 : 16
let inFlight = 0
let wake: (() => void) | undefined

async function send(lines: readonly string[]): Promise<void> {
  inFlight++
  // A failure is nobody's to handle here: it ends the process, and the run counts as not measured.
  void pool.run(batchSize === 1 ? lines[0] : lines).then((result: string | string[]) => {
    writeSync(out, `${typeof result === 'string' ? result : result.join('\n')}\n`)
    inFlight--
    wake?.()
  })
  while (inFlight >= mostInFlight) {
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
}

let rest = ''
let batch: string[] = []
for await (const chunk of createReadStream(input, { encoding: 'utf8', highWaterMark: 2 ** 18 })) {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()!
  for (const line of lines) {
    batch.push(line)
    if (batch.length < batchSize) continue
    await send(batch)
    batch = []
  }
}
if (batch.length > 0) await send(batch)
while (inFlight > 0) {
  await new Promise<void>((resolve) => {
    wake = resolve
  })
}
await pool.destroy()
