import { expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.js'
import { Dispatcher } from '../../src/index.js'

const module = new URL('./chaos-tasks.mjs', import.meta.url)
const TASKS = 20_000
const IN_FLIGHT = 512
const SEED = 11

type Ending = 'answer' | 'own throw' | 'own exit' | 'lost with the worker'

interface Kind {
  readonly share: number
  readonly name: string
  readonly ms?: number
  readonly endings: readonly Ending[]
}

const KINDS: readonly Kind[] = [
  { share: 0.64, name: 'quick', endings: ['answer'] },
  { share: 0.15, name: 'throws', endings: ['own throw'] },
  { share: 0.15, name: 'soon', endings: ['answer'] },
  { share: 0.05, name: 'wait', ms: 5, endings: ['answer'] },
  { share: 0.0095, name: 'moody', ms: 1, endings: ['answer'] },
  { share: 0.0005, name: 'exits', endings: ['own exit'] },
]

function kindFor(draw: number): Kind {
  let left = draw
  for (const kind of KINDS) {
    left -= kind.share
    if (left < 0) return kind
  }
  return KINDS[0]
}

/** How the task ended, or what its promise gave that is not its own. */
function endingOf(id: number, outcome: PromiseSettledResult<unknown>): Ending | string {
  if (outcome.status === 'fulfilled') return outcome.value === id * 2 + 1 ? 'answer' : `answer ${outcome.value}`
  const { code, message, id: owner } = outcome.reason as Error & { code?: string; id?: number }
  if (code === 'CHAOS') return owner === id ? 'own throw' : `throw of ${owner}`
  if (code === 'EVENKEEL_WORKER_EXIT') return 'own exit'
  return code === 'EVENKEEL_LOST_WITH_WORKER' ? 'lost with the worker' : message
}

test('a mixture: each of 20,000 tasks settles once, with its own answer', async () => {
  const random = seededRandom(SEED)
  const starts = new SharedArrayBuffer(16 * TASKS)
  const pool = new Dispatcher({ module, workers: 2, workerData: { starts } })
  const faults: string[] = []
  let next = 0
  let settled = 0
  let lost = 0
  const caller = async () => {
    while (next < TASKS) {
      const id = next++
      const { name, ms = 0, endings } = kindFor(random())
      const [outcome] = await Promise.allSettled([pool.run(name, { id, ms })])
      const ending = endingOf(id, outcome)
      settled++
      if (ending === 'lost with the worker') lost++
      else if (!endings.includes(ending as Ending)) faults.push(`seed ${SEED}, task ${id} ${name}: ${ending}`)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller))
  await pool.close()
  const counts = new Int32Array(starts)
  const notOnce = Array.from({ length: TASKS }, (_, id) => counts[id * 4]).filter((count) => count !== 1)
  expect(faults).toEqual([])
  expect(notOnce).toEqual([])
  expect(settled).toBe(TASKS)
  // Bystanders of 0.05 % exits: what was in flight at the worker and had started, mostly waits side by side.
  expect(lost).toBeLessThan(TASKS / 20)
  const { completed, failed, rejected } = pool.snapshot()
  expect({ ended: completed + failed, rejected }).toEqual({ ended: TASKS, rejected: 0 })
}, 120_000)
