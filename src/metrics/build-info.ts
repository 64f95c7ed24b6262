/** What runs, for whoever compares figures before and after an update. */

import type { FamilyMaker, MetricFamily } from './metric-family.js'

/** That of package.json, which a bundled app has not beside it. */
export const VERSION = '0.1.0'

export function buildInfo(make: FamilyMaker): MetricFamily {
  return make.gauge('build_info', 'Versions of evenkeel and Node.', [
    [{ version: VERSION, node: process.versions.node }, 1],
  ])
}
