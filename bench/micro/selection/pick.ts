/** One pick of every strategy over 4 to 10,000 workers whose loads change between picks, as they do live. */

import { seededRandom } from '../../../src/base/random.js'
import { catalogue, createStrategy } from '../../../src/selection/catalogue.js'
import type { LoadView } from '../../../src/selection/load-view.js'
import type { MicroBench } from '../micro-bench.js'

export const pickSizes = [4, 16, 64, 256, 1_024, 10_000] as const

/** Workers with random loads, one of which changes after every pick. */
class ChangingView implements LoadView {
  readonly size: number
  version = 1
  readonly #loads: Uint8Array
  readonly #outstanding: Uint16Array
  #next = 0

  constructor(size: number, random: () => number) {
    this.size = size
    this.#loads = Uint8Array.from({ length: size }, () => Math.floor(random() * 100))
    this.#outstanding = Uint16Array.from({ length: size }, () => Math.floor(random() * 8))
  }

  isCandidate(): boolean {
    return true
  }

  load(index: number): number {
    return this.#loads[index] as number
  }

  outstanding(index: number): number {
    return this.#outstanding[index] as number
  }

  reportedLoad(index: number): number {
    return this.#loads[index] as number
  }

  reportedDepth(index: number): number {
    return this.#outstanding[index] as number
  }

  reportAgeMs(): number {
    return 5
  }

  /** Gives the next worker in turn another load; not the one just picked, or all loads would drift upwards. */
  change(): void {
    this.#next = (this.#next + 1) % this.size
    this.#loads[this.#next] = ((this.#loads[this.#next] as number) + 37) % 100
    this.#outstanding[this.#next] = ((this.#outstanding[this.#next] as number) + 3) % 8
  }

  /** A report came in: what strategies keep of reported loads is no longer valid. */
  report(): void {
    this.change()
    this.version++
  }
}

/** Picks between two reports: some hundred thousand tasks a second against a report every 20 ms from each worker. */
const picksPerReport = 64

export function pickBenches(sizes: readonly number[] = pickSizes): MicroBench[] {
  const keys = Array.from({ length: 128 }, (_, at) => ({ key: `key ${at}` }))
  return catalogue.flatMap((entry) =>
    sizes.map((size) => {
      const random = seededRandom(1)
      const view = new ChangingView(size, random)
      const strategy = createStrategy(entry.name, { size, random })
      strategy.membershipChanged?.(view)
      const operations = 256
      return {
        source: 'src/selection/catalogue.ts',
        name: `pick, ${entry.name}`,
        size,
        operations,
        call: () => {
          for (let pick = 0; pick < operations; pick++) {
            strategy.pick(view, keys[pick % keys.length] as { key: string })
            if (pick % picksPerReport === 0) view.report()
            else view.change()
          }
        },
      }
    }),
  )
}
