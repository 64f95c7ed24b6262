/** What runs, for whoever compares figures before and after an update. */

import { VERSION } from '../base/version.js'
import type { FamilyMaker, MetricFamily } from './metric-family.js'

export function buildInfo(make: FamilyMaker): MetricFamily {
  return make.gauge('build_info', 'Versions of evenkeel and Node.', [
    [{ version: VERSION, node: process.versions.node }, 1],
  ])
}
