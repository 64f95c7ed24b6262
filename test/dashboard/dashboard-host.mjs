// A host that opens its page and its metrics, lets a client listen to the stream, and closes nothing.

import { get } from 'node:http'
import { dashboard } from '../../dist/src/dashboard/index.js'
import { Dispatcher } from '../../dist/src/index.js'
import { metrics } from '../../dist/src/metrics/index.js'

const pool = new Dispatcher({ module: new URL('../integration/tasks.mjs', import.meta.url), workers: 1 })
const watched = metrics(pool)
const { url } = await dashboard(pool)
console.log(await pool.run('noop', 'ran'))
console.log(watched.text().includes('outcome="ok"} 1'))
await new Promise((resolve) => {
  get(`${url}api/stream`, (response) => {
    response.once('data', () => {
      // The connection's other end, which is the client's, is let go here; the page's own must hold nothing.
      response.socket.unref()
      resolve()
    })
  })
})
console.log('listening')
