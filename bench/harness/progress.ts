/** Progress of a long run on stderr, so that stdout stays what the command prints. */

import type { Progress } from './interleave.js'

/** On something that is no terminal a line is written at most this often. */
const plainPeriodMs = 15_000

export function progressOn(stream: NodeJS.WriteStream): Progress {
  const startMs = performance.now()
  let lastMs = Number.NEGATIVE_INFINITY
  return (done, planned, current) => {
    const nowMs = performance.now()
    const leftS = done === 0 ? undefined : Math.ceil((((nowMs - startMs) / done) * (planned - done)) / 1_000)
    const line = `${done}/${planned} ${current}${leftS === undefined || done === planned ? '' : `, about ${leftS} s left`}`
    if (stream.isTTY) {
      stream.cursorTo(0)
      stream.write(line.slice(0, Math.max(20, stream.columns - 1)))
      stream.clearLine(1)
      if (done === planned) stream.write('\n')
    } else if (nowMs - lastMs >= plainPeriodMs || done === planned) {
      lastMs = nowMs
      stream.write(`${line}\n`)
    }
  }
}
