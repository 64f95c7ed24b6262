// A host whose process the test stops and continues while its workers run tasks; it tells what became of them.

import { Dispatcher } from '../../dist/src/index.js'

const pool = new Dispatcher({
  module: new URL('./stopped-tasks.mjs', import.meta.url),
  workers: 3,
  stallUnknownMs: 2_000,
  stallKillMs: 2_000,
})
await pool.ready(3)
const told = []
for (const event of ['stall', 'exit']) pool.on(event, ({ slot }) => told.push([event, slot]))
const tasks = ['spin', 'steps', 'ioSteps'].map((name) => pool.run(name, 400, { runTimeoutMs: 2_000 }))
setTimeout(() => console.log('running'), 100)
const codes = (await Promise.allSettled(tasks)).map(({ status, reason }) => reason?.code ?? status)
console.log(JSON.stringify({ codes, told }))
await pool.close()
