/** Cold start: from the constructor to the first answer, once per process, with nothing compiled. */

import { contenderEntry } from '../contenders/catalogue.js'
import type { Probe } from '../harness/sample.js'
import { closePool, eachSystem } from './pool.js'

/** Importing the package is not counted: it is paid once per program, and module loaders differ. */
export const probeCold: Probe = async ({ systems }) => ({
  systems: await eachSystem(systems, async (system) => {
    const create = await contenderEntry(system.contender).load()
    const startMs = performance.now()
    const pool = create(system.workers, system.settings)
    await pool.run('noop', 0)
    const firstAnswerMs = performance.now() - startMs
    await closePool(pool)
    return { measures: { firstAnswerMs } }
  }),
})
