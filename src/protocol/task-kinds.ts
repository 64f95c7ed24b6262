/** The kinds that a task module declares: `export const kinds = { fetchPage: 'io' }`. */

import { adviceOnName } from '../base/nearest-name.js'
import type { TaskKind } from './batch.js'

/**
 * The kind of each task, in the order of `names`; `cpu` by default. Throws a TypeError for an unknown task or kind: if
 * it were ignored, an I/O task would run as a CPU task, one at a time.
 */
export function kindsOf(kinds: unknown, names: readonly string[]): TaskKind[] {
  const said = checked(kinds, names)
  return names.map((name) => said.get(name) ?? 'cpu')
}

function checked(kinds: unknown, names: readonly string[]): Map<string, TaskKind> {
  const said = new Map<string, TaskKind>()
  if (kinds === undefined) return said
  if ((typeof kinds !== 'object' && typeof kinds !== 'function') || kinds === null) {
    throw new TypeError(`kinds: expected an object such as { ${names[0]}: 'io' }, got ${String(kinds)}`)
  }
  for (const [name, kind] of Object.entries(kinds)) {
    if (!names.includes(name))
      throw new TypeError(
        `kinds.${name}: the module exports no task '${name}'; ${adviceOnName(name, names, 'its tasks are')}`,
      )
    if (kind !== 'cpu' && kind !== 'io')
      throw new TypeError(`kinds.${name}: expected 'cpu' or 'io', got ${String(kind)}`)
    said.set(name, kind)
  }
  return said
}
