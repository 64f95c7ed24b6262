/**
 * Entry of a measuring process: one sample, one answer, then the end of the process. The harness starts one per
 * sample, so no system inherits another's heap, compiled code or threads.
 */

import { loadProbe } from '../probes/catalogue.js'
import type { ChildAnswer, SampleSpec } from './sample.js'

async function measure(spec: SampleSpec): Promise<ChildAnswer> {
  try {
    const probe = await loadProbe(spec.probe)
    return { ok: true, result: await probe(spec) }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

// A listener that stays holds the process, also for a pool whose threads do not: a task that never settles must show as
// a time-out, not as a process that ended.
process.on('message', (spec: SampleSpec) => {
  void measure(spec).then((answer) => {
    // A pool that cannot be closed must not keep the process: the answer is out, so the process ends.
    process.send?.(answer, () => process.exit(0))
  })
})
