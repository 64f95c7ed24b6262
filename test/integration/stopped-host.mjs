// A host whose process the test stops and continues while its workers run tasks; it tells what became of them.

import { Dispatcher } from '../../dist/src/index.js'

const pool = new Dispatcher({
  module: new URL('./tasks.mjs', import.meta.url),
  workers: 3,
  stallMs: 100,
  stallUnknownMs: 400,
  stallKillMs: 500,
})
await pool.ready(3)
const told = []
for (const event of ['stall', 'exit']) pool.on(event, ({ slot }) => told.push([event, slot]))
const tasks = [
  pool.run('waitFor', 900, { runTimeoutMs: 1_400 }),
  pool.run('parkFor', 300, { runTimeoutMs: 1_400 }),
  pool.run('waitIo', 900, { runTimeoutMs: 1_400 }),
]
const ends = Promise.allSettled(tasks)
setTimeout(() => console.log('running'), 100)
const codes = (await ends).map(({ status, reason }) => reason?.code ?? status)
console.log(JSON.stringify({ codes, told }))
await pool.close()
