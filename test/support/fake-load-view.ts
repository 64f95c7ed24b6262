import type { LoadView } from '../../src/selection/load-view.js'

export interface FakeWorker {
  candidate: boolean
  load: number
  outstanding: number
  reportedLoad: number
  reportedDepth: number
  reportAgeMs: number
}

/** A worker that is idle, freshly reported and may be picked. */
const IDLE: FakeWorker = {
  candidate: true,
  load: 0,
  outstanding: 0,
  reportedLoad: 0,
  reportedDepth: 0,
  reportAgeMs: 0,
}

/** A plain `LoadView` over an array of workers. Changes go through `set` and `resize`, which move the version on. */
export class FakeLoadView implements LoadView {
  #workers: FakeWorker[]
  #version = 1

  /** @param workers how many idle ones, or what differs from idle in each */
  constructor(workers: number | readonly Partial<FakeWorker>[]) {
    const given = typeof workers === 'number' ? Array.from({ length: workers }, () => ({})) : workers
    this.#workers = given.map((worker) => ({ ...IDLE, ...worker }))
  }

  /** Workers whose exact and reported loads are these. */
  static ofLoads(loads: readonly number[]): FakeLoadView {
    return new FakeLoadView(loads.map((load) => ({ load, reportedLoad: load })))
  }

  get size(): number {
    return this.#workers.length
  }

  get version(): number {
    return this.#version
  }

  set(index: number, change: Partial<FakeWorker>): void {
    Object.assign(this.#workers[index]!, change)
    this.#version++
  }

  /** Adds idle workers at the end or drops the last ones. */
  resize(size: number): void {
    this.#workers.length = Math.min(size, this.#workers.length)
    while (this.#workers.length < size) this.#workers.push({ ...IDLE })
    this.#version++
  }

  /** Lets time pass without reports: no version moves. */
  age(ms: number): void {
    for (const worker of this.#workers) worker.reportAgeMs += ms
  }

  isCandidate(index: number): boolean {
    return this.#workers[index]!.candidate
  }

  load(index: number): number {
    return this.#workers[index]!.load
  }

  outstanding(index: number): number {
    return this.#workers[index]!.outstanding
  }

  reportedLoad(index: number): number {
    return this.#workers[index]!.reportedLoad
  }

  reportedDepth(index: number): number {
    return this.#workers[index]!.reportedDepth
  }

  reportAgeMs(index: number): number {
    return this.#workers[index]!.reportAgeMs
  }
}
