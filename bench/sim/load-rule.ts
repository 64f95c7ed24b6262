import { LoadModel } from '../../src/load/load-model.js'
import type { LoadOptions } from '../../src/load/load-options.js'
import { newWorkerReading } from '../../src/load/worker-reading.js'
import type { SimulatedPool } from './simulated-pool.js'

/** From the state of a worker to a load of 0..100, by what the dispatcher knows and by the last report. */
export interface LoadRule {
  exact(worker: number): number
  reported(worker: number): number
}

export type LoadRuleFactory = (simulation: SimulatedPool) => LoadRule

/** Depth that a worker's own report has: stale, or the present one where reports are never stale. */
function reportedDepth({ fleet, scenario }: SimulatedPool, worker: number): number {
  return scenario.reports.periodMs === 0 ? fleet.depth(worker) : fleet.reportedDepth[worker]!
}

/** Load grows in proportion to the tasks held and is full at `capacity`; used by the published stale-report tables. */
export function depthLoad(capacity: number): LoadRuleFactory {
  const load = (depth: number): number => Math.min(100, (100 * depth) / capacity)
  return (simulation) => ({
    exact: (worker) => load(simulation.fleet.outstanding[worker]!),
    reported: (worker) => load(reportedDepth(simulation, worker)),
  })
}

/**
 * The live dispatcher's load model over simulated readings. A worker that holds tasks is as silent as its last claim
 * or finish is old, because a CPU task keeps its event loop from beating; `roomTasks` is what a window allows.
 */
export function modelLoad(roomTasks: number, options: LoadOptions = {}): LoadRuleFactory {
  return (simulation) => {
    const { fleet } = simulation
    const model = new LoadModel(options, fleet.size)
    const reading = newWorkerReading()
    reading.cpuRoom = roomTasks
    const load = (worker: number, outstanding: number, silentMs: number): number => {
      reading.cpuOutstanding = outstanding
      reading.stampAgeMs = silentMs
      reading.readAtMs = simulation.nowMs
      return model.load(worker, reading)
    }
    return {
      exact: (worker) => {
        const outstanding = fleet.outstanding[worker]!
        const stampMs = Math.max(fleet.progressMs[worker]!, fleet.wokenMs[worker]!)
        return load(worker, outstanding, outstanding === 0 ? 0 : simulation.nowMs - stampMs)
      },
      reported: (worker) => load(worker, reportedDepth(simulation, worker), 0),
    }
  }
}
