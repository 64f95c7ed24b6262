/** The worker's bookkeeping of one no-op, beside the price of reading the clock, and the dispatcher's look at a row. */

import { systemClock } from '../../../src/base/clock.js'
import { claim, finish, free, post } from '../../../src/board/claims.js'
import { boardOf, CLAIMS_PER_LANE } from '../../../src/board/layout.js'
import { RowReader } from '../../../src/board/row-reader.js'
import { RowWriter } from '../../../src/board/row-writer.js'
import type { MicroBench } from '../micro-bench.js'

export const clockName = 'performance.now()'
export const workerSideName = 'claim, stamp and finish of a no-op'

export function boardBenches(): MicroBench[] {
  const board = boardOf()
  const writer = new RowWriter(board.row)
  const reader = new RowReader(board.row)
  const keys = new Int32Array(CLAIMS_PER_LANE)
  // What is read must be used, or the compiler would leave out the reading.
  const kept = new Float64Array(1)
  const keep = (value: number): void => {
    kept[0] = (kept[0] as number) + value
  }
  const each = (name: string, source: string, once: (index: number) => void, before?: () => void): MicroBench => ({
    source,
    name,
    size: 1,
    operations: CLAIMS_PER_LANE,
    call: () => {
      for (let index = 0; index < CLAIMS_PER_LANE; index++) once(index)
    },
    ...(before === undefined ? {} : { before }),
  })
  let posted = false
  const postAll = (): void => {
    for (let index = 0; index < CLAIMS_PER_LANE; index++) {
      if (posted) free(board.state, keys[index] as number)
      keys[index] = post(board.state, index)
    }
    posted = true
  }
  return [
    each(clockName, 'src/base/clock.ts', () => keep(performance.now())),
    each(
      workerSideName,
      'src/board/claims.ts',
      (index) => {
        const key = keys[index] as number
        if (!claim(board.state, key)) return
        writer.running(index)
        writer.countStart()
        // One clock read per task: the finish of one is the start of the next.
        writer.stamp('cpu', systemClock.nowMs())
        finish(board.state, key)
      },
      postAll,
    ),
    each('read of progress age and reported lag', 'src/board/row-reader.ts', (index) =>
      keep(reader.cpuProgressAgeMs(index) + reader.reportedLagMs),
    ),
  ]
}
