/** Entry of the load generator's process: one plan, its figures, then the end of the process. */

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { latencyFigures, withOmitted } from './answered-request.js'
import type { HttpLoadPlan } from './http-load.js'
import { delayQuantileMs, delayResolutionMs } from './loop-delay.js'

export type LoadMessage =
  | { readonly kind: 'measuring' | 'measured' }
  | { readonly kind: 'figures'; readonly figures: Readonly<Record<string, number>> }
  | { readonly kind: 'failed'; readonly message: string }

/** How long a worker is to stall; the same time in the middle of a run without a stall is what it is compared with. */
export interface LoadOrder {
  readonly plan: HttpLoadPlan
  /** The part of the measured time that is also reported apart. */
  readonly windowMs: readonly [from: number, to: number]
}

const tell = (message: LoadMessage, then?: () => void): void => {
  process.send?.(message, () => then?.())
}

async function load({ plan, windowMs }: LoadOrder): Promise<LoadMessage> {
  try {
    // Imported here: where autocannon is not installed, that is the answer.
    const { runHttpLoad } = await import('./http-load.js')
    const delay = monitorEventLoopDelay({ resolution: delayResolutionMs })
    const { answered, failed } = await runHttpLoad(plan, (kind) => {
      if (kind === 'measuring') delay.enable()
      else delay.disable()
      tell({ kind })
    })
    const rate = plan.perConnectionPerSecond
    const counted = rate === undefined ? answered : withOmitted(answered, 1_000 / rate)
    return {
      kind: 'figures',
      figures: {
        requests: answered.length,
        failedRequests: failed,
        ...latencyFigures(counted, windowMs),
        generatorDelayP99Ms: delayQuantileMs(delay, 0.99),
      },
    }
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

process.once('message', (order: LoadOrder) => {
  void load(order).then((answer) => tell(answer, () => process.exit(0)))
})
